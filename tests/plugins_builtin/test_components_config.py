"""What the configuration of each built-in plugin may be, found by the compiler."""

from __future__ import annotations

import pytest

from adk_decl.components import catalogue
from adk_decl.diagnostics.diagnostic import DiagnosticBag
from adk_decl.plan.frozen_json import thaw
from adk_decl.schema.evaluate import evaluate
from adk_decl.schema.load import shape_from
from adk_decl.syntax.read import read_bytes


def block(key: str, size: int, letter: str = "x") -> str:
    """A text of `size` bytes in lines that a manifest may have."""
    letters = size // len(letter.encode())
    lines = "".join(f"  {letter * 99}\n" for _ in range(letters // 100))
    last = letter * (letters % 100)
    return f"{key}: |-\n{lines}  {last}" if last else f"{key}: |-\n{lines}"


def codes(name: str, config: str) -> list[str]:
    component = catalogue.find("plugin", name)
    assert component is not None
    bag = DiagnosticBag()
    document = read_bytes(config.encode(), file="config.yaml", format="yaml", bag=bag)
    assert document is not None, bag.sorted()
    evaluate(shape_from(thaw(component.config_schema)), document.root, file="config.yaml", bag=bag)
    return [finding.code for finding in bag.sorted()]


@pytest.mark.parametrize(
    ("name", "config", "expected"),
    [
        ("global_instruction", "instruction: x", []),
        ("global_instruction", "{}", ["ADK111"]),
        ("global_instruction", "instruction: ''", ["ADK123"]),
        ("global_instruction", block("instruction", 65_535), []),
        ("global_instruction", block("instruction", 65_800), ["ADK123"]),
        ("global_instruction", block("instruction", 66_400, "é"), ["ADK123"]),
        ("global_instruction", "{instruction: x, position: middle}", ["ADK120"]),
        ("global_instruction", "{instruction: x, separator: '0123456789abcdef'}", []),
        ("global_instruction", "{instruction: x, separator: '0123456789abcdefg'}", ["ADK123"]),
        ("global_instruction", "{instruction: x, separator: 'ééééééééé'}", ["ADK123"]),
        ("global_instruction", "{instruction: x, place: prepend}", ["ADK110"]),
        ("context_filter", "{}", []),
        ("context_filter", "max_messages: 1", []),
        ("context_filter", "max_messages: 0", ["ADK121"]),
        ("context_filter", "max_messages: 100001", ["ADK121"]),
        ("context_filter", "max_messages: infinity", ["ADK012"]),
        ("context_filter", "include_roles: [user, assistant, tool]", []),
        ("context_filter", "include_roles: [agent]", ["ADK120"]),
        ("context_filter", "exclude_roles: [system]", ["ADK120"]),
        ("context_filter", "exclude_roles: [tool, tool]", ["ADK124"]),
        ("context_filter", "preserve_latest_user: 'yes'", ["ADK101"]),
        ("context_filter", "preserve_system: true", []),
        ("context_filter", "preserve_system: false", ["ADK120"]),
        ("reflect_retry", "{enabled: false, max_attempts: 16, mask_failure: true, include_plugin_errors: true}", []),
        ("reflect_retry", "max_attempts: 0", ["ADK121"]),
        ("reflect_retry", "max_attempts: 17", ["ADK121"]),
        ("reflect_retry", "guidance: ''", ["ADK123"]),
        ("reflect_retry", block("guidance", 4095), []),
        ("reflect_retry", block("guidance", 4200), ["ADK123"]),
        ("reflect_retry", block("guidance", 4200, "é"), ["ADK123"]),
        ("metadata_logger", "{id: audit, log_level: notice}", []),
        ("metadata_logger", "log_level: loud", ["ADK120"]),
        ("metadata_logger", "log_level: error", ["ADK120"]),
        ("metadata_logger", "id: ''", ["ADK123"]),
        ("logging", "{}", []),
        ("logging", "log_level: debug", []),
        ("logging", "log_level: none", ["ADK120"]),
        ("logging", "level: info", ["ADK110"]),
        ("content_guard", "{}", ["ADK123"]),
        ("content_guard", "presets: [harmful, strict]", []),
        ("content_guard", "presets: [polite]", ["ADK120"]),
        ("content_guard", "presets: [strict, strict]", ["ADK124"]),
        ("content_guard", "{check: [input], blocked_keywords: [hack], answer: No.}", []),
        ("content_guard", "{check: [], max_length: 5}", ["ADK123"]),
        ("content_guard", "blocked_keywords: []", ["ADK123"]),
        ("content_guard", "blocked_keywords: ['']", ["ADK123"]),
        ("content_guard", f"blocked_keywords: [{'x' * 100}]", []),
        ("content_guard", f"blocked_keywords: [{'x' * 101}]", ["ADK123"]),
        ("content_guard", f"blocked_keywords: [{', '.join(f'w{n}' for n in range(500))}]", []),
        ("content_guard", f"blocked_keywords: [{', '.join(f'w{n}' for n in range(501))}]", ["ADK123"]),
        ("content_guard", "required_topics: order", ["ADK101"]),
        ("content_guard", "{min_length: 0, max_length: 10000000}", []),
        ("content_guard", "{min_length: -1, max_length: 10000001}", ["ADK121", "ADK121"]),
        ("content_guard", "{max_length: 1, severities: {max_length: low}, fail_at: critical}", []),
        ("content_guard", "{max_length: 1, severities: {max_lenght: low}}", ["ADK110"]),
        ("content_guard", "{max_length: 1, severities: {max_length: bad}, fail_at: never}", ["ADK120", "ADK120"]),
        ("content_guard", "{max_length: 1, answer: ''}", ["ADK123"]),
        ("schema_guard", "{}", ["ADK111"]),
        ("schema_guard", "{schema: {type: object}, find: first, answer: Sorry.}", []),
        ("schema_guard", "{schema: {anyOf: [{type: string}, {type: 'null'}]}}", []),
        ("schema_guard", "{schema: {type: objekt}}", ["ADK122"]),
        ("schema_guard", "{schema: {pattern: '(a+)+'}}", ["ADK122"]),
        ("schema_guard", "{schema: {$ref: 'https://example.org/s'}}", ["ADK122"]),
        ("schema_guard", "schema: text", ["ADK101"]),
        ("schema_guard", "{schema: {}, find: last}", ["ADK120"]),
        ("tool_guard", "{}", ["ADK123"]),
        ("tool_guard", "{allow_tools: [], deny_tools: [shell]}", []),
        ("tool_guard", "deny_tools: []", ["ADK123"]),
        ("tool_guard", "denied_patterns: [{name: no-rm, pattern: 'rm +-rf', tools: [shell]}]", []),
        ("tool_guard", "denied_patterns: [{name: no-rm, pattern: '('}]", ["ADK122"]),
        ("tool_guard", "denied_patterns: [{name: no-rm, pattern: '(a+)+'}]", ["ADK122"]),
        ("tool_guard", "denied_patterns: [{name: no rm, pattern: rm}]", ["ADK122"]),
        ("tool_guard", "denied_patterns: [{pattern: rm}]", ["ADK111"]),
        ("tool_guard", "denied_patterns: [{name: a, pattern: ''}]", ["ADK123"]),
        ("tool_guard", "denied_patterns: [{name: a, pattern: rm, severity: high}]", ["ADK110"]),
        ("tool_guard", "paths: [{name: data, args: [path, to], roots: [/srv/data]}]", []),
        ("tool_guard", "paths: [{name: data, args: [path], roots: [data]}]", ["ADK122"]),
        ("tool_guard", "paths: [{name: data, args: [], roots: []}]", ["ADK123", "ADK123"]),
        ("tool_guard", "paths: [{name: data}]", ["ADK111", "ADK111"]),
        ("pii_redactor", "{}", []),
        ("pii_redactor", "{types: [ip_address], apply_to: [user_messages, model_requests], marker: '***'}", []),
        ("pii_redactor", "{types: [], fields: [password]}", []),
        ("pii_redactor", "types: [passport]", ["ADK120"]),
        ("pii_redactor", "apply_to: []", ["ADK123"]),
        ("pii_redactor", "marker: ''", []),
        ("pii_redactor", f"marker: {'x' * 65}", ["ADK123"]),
        ("pii_redactor", "fields: ['']", ["ADK123"]),
    ],
)
def test_config(name: str, config: str, expected: list[str]) -> None:
    assert codes(name, config) == expected
