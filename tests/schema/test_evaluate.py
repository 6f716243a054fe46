"""Findings about shape: one for each mistake, on the token, with what was probably meant."""

from __future__ import annotations

import pytest

from adk_decl.diagnostics.diagnostic import Diagnostic, DiagnosticBag
from adk_decl.diagnostics.text import render
from adk_decl.schema.evaluate import ShapeResult, evaluate
from adk_decl.schema.load import Shape, load_shape
from tests.schema.shapes import check, findings, manifest, node_of, read
from tests.snapshot import check_snapshot

MANY_MISTAKES = """\
apiVersion: adk-decl/v1
kind: Manifest
name: support desk
colour: red
models:
  fast:
    use: openai_chat
    api_key: sk-abcdef
    model: 5
    timeout_ms: 5s
    base_url: example.com
    max_concurrency: "8"
    retries: {max_attempts: 0, base_delay: 10}
    fallback: ${env:X}
    requests_per_minute: ${env:RPM:-10}
  other:
    uses: scripted
    run_timeout_ms: 5
  third:
    use: scripted
    api_key: ${env:K}
    base_url: {secret: {env: X}}
    tool_calling: jsn_schema
  fourth: {use: x, api_key: {secret: {}}, timeout_ms: 100.0}
  fifth: {use: x, api_key: {secret: abc}, timeout_ms: 010}
  1st: {use: scripted}
tools:
  - name: x
agents:
  a:
    model: yes
    tools: [a, b, a]
    instruction: 5
    confirm: no
  b: {}
plugins:
  redact:
    use: pii_redactor
    timeout_msec: 250
    failure_policy: fail_closd
    mode: Intervene
    hooks: [before_tool_call, befor_model]
    isolation: process
    max_heap_mib: 64MiB
runners:
  desk:
    agent: a
    plugins: {id: x}
    plugin_order:
    run_timeout_ms: 5000
    limits: {max_model_calls: yes, max_tool_calls: 0x10}
    local_callbacks: timeout_ms:5
    observability: {capture_content: on}
evals:
  e:
    eval_set: x
    criteria: [{id: x, use: y, threshold: 1.5}]
    agents: 5
    gates: [{tag: "", pass_rate_threshold: 1}]
"""


def only(text: str) -> Diagnostic:
    """The one finding of a text."""
    found = findings(text)
    assert len(found) == 1, [f"{f.code} {f.message}" for f in found]
    return found[0]


def under_model(line: str) -> str:
    """A manifest with one line in a model; the line is line 7, its key begins in column 5."""
    return manifest(f"models:\n  fast:\n    use: scripted\n    {line}\n")


def under_plugin(line: str) -> str:
    """A manifest with one line in a plugin; the line is line 7."""
    return manifest(f"plugins:\n  p:\n    use: metadata_logger\n    {line}\n")


def edit_of(finding: Diagnostic) -> str:
    """The text that the fix of a finding writes."""
    assert finding.fix is not None
    (edit,) = finding.fix.edits
    assert edit.span.line == finding.span.line
    return edit.text


def test_many_mistakes_as_text() -> None:
    found = findings(MANY_MISTAKES)
    check_snapshot("schema/many_mistakes.txt", render(found, {"m.yaml": MANY_MISTAKES}, limit=None))


def test_a_valid_manifest_has_no_finding_and_a_schema_for_each_node() -> None:
    document = read(under_model("timeout_ms: 5"))
    found, result = check(load_shape("Manifest"), document.root)
    assert found == ()
    models = document.root.get("models")
    assert models is not None
    timeout = models.get("fast").get("timeout_ms")  # type: ignore[union-attr]
    assert timeout is not None
    assert result.schema(timeout)["default"] == 60000
    assert result.schema(timeout)["x-env-type"] == "integer"
    assert not result.is_poisoned(timeout)


def test_a_misspelt_key_that_was_needed_is_one_finding() -> None:
    finding = only(manifest("models:\n  fast:\n    usee: scripted\n"))
    assert (finding.code, finding.span.line, finding.span.column, finding.span.end_column) == ("ADK110", 6, 5, 9)
    assert finding.help == "did you mean `use`?"
    assert edit_of(finding) == "use"


@pytest.mark.parametrize(
    ("line", "rename", "applicability"),
    [
        ("timeout_msec: 5", "timeout_ms", "safe"),
        ("timeout: 5", "timeout_ms", "unsafe"),
        ("timeoutMs: 5", "timeout_ms", "safe"),
        ("max-concurrency: 5", "max_concurrency", "safe"),
        ("run_timeout_ms: 5", "timeout_ms", "unsafe"),
        ("Price: {input: 1, output: 1}", "price", "safe"),
    ],
)
def test_renames_of_keys(line: str, rename: str, applicability: str) -> None:
    finding = only(under_model(line))
    assert finding.code == "ADK110"
    assert edit_of(finding) == rename
    assert finding.fix is not None
    assert finding.fix.applicability == applicability


def test_a_rename_is_not_offered_when_the_key_is_there_already() -> None:
    finding = only(under_model("timeout_ms: 5\n    timeout_msec: 5"))
    assert finding.fix is None


@pytest.mark.parametrize(
    ("text", "note"),
    [
        (
            manifest("agents:\n  a: {model: m}\nrunners:\n  r:\n    agent: a\n    max_tool_calls: 5\n"),
            "`max_tool_calls` is a key inside `limits`",
        ),
        (manifest("models:\n  m:\n    use: scripted\n    runners: {}\n"), "`runners` is a key of the manifest"),
        (manifest("agent: a\n"), "`agent` is a key inside `runners`"),
        (manifest("failure_policy: open\n"), "`failure_policy` is a key inside `observability`"),
    ],
)
def test_a_key_in_the_wrong_place(text: str, note: str) -> None:
    found = findings(text)
    assert note in found[-1].notes or found[-1].fix is not None
    assert found[-1].code == "ADK110"


@pytest.mark.parametrize(
    ("line", "written"),
    [
        ("timeout_ms: 5s", "5000"),
        ('timeout_ms: "5s"', "5000"),
        ("timeout_ms: 250 ms", "250"),
        ("timeout_ms: 1.5s", "1500"),
        ("timeout_ms: 2min", "120000"),
        ("timeout_ms: 100.0", "100"),
        ('timeout_ms: "100"', "100"),
        ("model: 5", '"5"'),
        ("model: 1.10", '"1.10"'),
        ("model: true", '"true"'),
        ("tool_calling: jsn_schema", "json_schema"),
    ],
)
def test_the_edit_says_what_was_meant(line: str, written: str) -> None:
    finding = only(under_model(line))
    assert edit_of(finding) == written
    assert finding.fix is not None
    assert finding.fix.applicability == ("safe" if finding.code == "ADK101" else finding.fix.applicability)
    column = 5 + line.index(":") + 2
    assert (finding.span.line, finding.span.column) == (7, column)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("timeout_ms: 0.5", "ADK101"),
        ("timeout_ms: true", "ADK101"),
        ("timeout_ms: []", "ADK101"),
        ("timeout_ms: 1e3", "ADK101"),
        ("timeout_ms: 0", "ADK121"),
        ("timeout_ms: 3600001", "ADK121"),
        ("timeout_ms: 1_000", "ADK010"),
        ("timeout_ms: 010", "ADK010"),
        ("timeout_ms: .inf", "ADK012"),
        ("timeout_ms: ~", "ADK112"),
        ("timeout_ms:", "ADK112"),
        ("timeout_ms: null", "ADK112"),
        ("timeout_ms: ''", "ADK101"),
        ("timeout_ms: abc", "ADK101"),
        ("retries: max_attempts:3", "ADK019"),
        ("retries: 3", "ADK101"),
        ("retries: [3]", "ADK101"),
        ("model: ''", "ADK123"),
        ("model: no", None),
        ("base_url: ftp://x", "ADK122"),
        ("generation: {stop: [a, a]}", None),
        ("generation: {temperature: 2.1}", "ADK121"),
        ("generation: {temperature: 2}", None),
        ("price: {input: 1}", "ADK111"),
        ("price: {input: 1, output: 1, currency: euro}", "ADK122"),
        ("api_key: sk-1", "ADK301"),
        ("api_key: {secret: sk-1}", "ADK301"),
        ("api_key: ${env:KEY}", "ADK303"),
        ("api_key: {secret: {env: A, file: b}}", "ADK123"),
        ("api_key: {secret: {env: sk-1}}", "ADK122"),
        ("api_key: {env: A}", "ADK111"),
        ("api_key: 5", "ADK301"),
        ("api_key:", "ADK112"),
        ("model: {secret: {env: A}}", "ADK306"),
        ("use2: 1", "ADK110"),
        ("x-use: 1", None),
        ("fallback: ${env:A}", "ADK303"),
        ("tool_calling: ${env:A}", "ADK303"),
        ("timeout_ms: ${env:A}", None),
        ("timeout_ms: ${env:A:-5}", None),
        ("timeout_ms: 5${env:A}", "ADK101"),
        ("timeout_ms: ${env:A}${env:B}", "ADK101"),
        ("timeout_ms: ${a}", None),
        ("model: a-${env:A}", None),
        ("config: {a: '${env:A}', b: {secret: {env: A}}}", None),
    ],
)
def test_codes_of_single_mistakes(line: str, code: str | None) -> None:
    found = findings(under_model(line))
    assert [f.code for f in found] == ([] if code is None else [code])


def test_a_boolean_word_of_older_yaml() -> None:
    finding = only(manifest("observability: {capture_content: yes}\n"))
    assert finding.code == "ADK101"
    assert edit_of(finding) == "true"
    assert finding.fix is not None
    assert finding.fix.applicability == "unsafe"


@pytest.mark.parametrize(
    ("line", "near"),
    [
        ("failure_policy: fail_closed", "closed"),
        ("failure_policy: fail_opn", "open"),
        ("failure_policy: Closed", "closed"),
        ("mode: intervenes", "intervene"),
        ("isolation: process", "worker"),
        ("hooks: [before_tool_call]", "before_tool"),
        ("hooks: [on_modell_error]", "on_model_error"),
    ],
)
def test_the_near_value(line: str, near: str) -> None:
    finding = only(under_plugin(line))
    assert finding.code == ("ADK210" if line.startswith("hooks") else "ADK120")
    assert edit_of(finding) == near


def test_an_unconditional_secret_never_stands_in_a_finding() -> None:
    canary = "sk-canary-7f3a"
    text = manifest(
        f"models:\n  a: {{use: scripted, api_key: {canary}}}\n  b: {{use: scripted, api_key: {{secret: {canary}}}}}\n"
        f"  c: {{use: scripted, api_key: {{secret: {{env: {canary}}}}}}}\n"
        f"  d: {{use: scripted, api_key: {{secret: {{file: ''}}}}, tool_calling: {canary}1}}\n"
        f"agents:\n  a: {{model: a, instruction: [{canary}]}}\n"
    )
    found = findings(text)
    assert len(found) == 6
    for finding in found:
        said = (finding.message, finding.label, finding.help, finding.notes, finding.fix)
        assert "canary" not in repr(said)
    masked = [f for f in found if "tool_calling" not in f.path]
    assert all(f.mask_values for f in masked)


def test_a_line_with_something_private_is_masked_whatever_the_finding() -> None:
    text = manifest("models:\n  m: {use: scripted, config: {k: canary}, timeout_ms: 0}\n  n: {use: x, timeout_ms: 0}\n")
    first, second = findings(text)
    assert (first.mask_values, second.mask_values) == (True, False)
    assert "canary" not in render((first, second), {"m.yaml": text})


def test_the_lines_of_a_private_block_end_with_its_last_value() -> None:
    text = under_model("config:\n      a: 1\n    timeout_ms: 0")
    finding = only(text)
    assert not finding.mask_values


def test_what_is_wrong_is_named_to_later_passes() -> None:
    document = read(under_model("timeout_ms: abc\n    unknown: {a: 1}\n    tool_calling: native"))
    _, result = check(load_shape("Manifest"), document.root)
    model = document.root.get("models").get("fast")  # type: ignore[union-attr]
    assert model is not None
    poisoned = {key.text for key, value in model.entries if result.is_poisoned(value)}
    assert poisoned == {"timeout_ms", "unknown"}
    assert not result.is_poisoned(model)


def test_a_map_that_lacks_a_key_is_poisoned() -> None:
    document = read(manifest("models:\n  fast: {}\n"))
    found, result = check(load_shape("Manifest"), document.root)
    fast = document.root.get("models").get("fast")  # type: ignore[union-attr]
    assert fast is not None
    assert result.is_poisoned(fast)
    assert [f.code for f in found] == ["ADK111"]
    assert (found[0].span.line, found[0].span.column, found[0].span.end_column) == (5, 3, 7)


def test_values_are_masked_on_request() -> None:
    bag = DiagnosticBag()
    shape = Shape({"type": "object", "properties": {"n": {"enum": ["a"]}, "m": {"type": "integer", "maximum": 1}}})
    evaluate(shape, node_of({"n": "hush", "m": 77}), file="m", bag=bag, path=("config",), mask_values=True)
    assert [f.code for f in bag.sorted()] == ["ADK120", "ADK121"] or len(bag.sorted()) == 2
    for finding in bag.sorted():
        assert finding.mask_values
        assert "hush" not in repr(finding)
        assert "77" not in finding.message
        assert finding.path[0] == "config"


def test_conditional_parts() -> None:
    found = findings(manifest("agents:\n  a: {use: google_adk, model: m}\n"))
    assert [(f.code, f.help) for f in found] == [("ADK111", "add `ref`")]
    text = "observability: {trace_context: {sampler: {kind: ratio}}}\n"
    assert [f.code for f in findings(manifest(text))] == ["ADK111"]


def test_a_conditional_part_narrows_a_value_and_keeps_its_schema() -> None:
    part = {"if": {"required": ["kind"]}, "then": {"properties": {"n": {"maximum": 5}}}}
    shape = Shape({"type": "object", "properties": {"n": {"type": "integer", "default": 1}}, "allOf": [part]})
    node = node_of({"n": 6, "kind": 1})
    found, result = check(shape, node)
    assert [f.code for f in found] == ["ADK121"]
    assert result.schema(node.entries[0][1])["default"] == 1
    assert check(shape, node_of({"n": 6}))[0] == ()


@pytest.mark.parametrize(
    "text",
    ["[]", "5", "a: 1", "null", "{}", "apiVersion: [1]", "apiVersion: adk-decl/v2\nkind: Manifest\nname: x"],
)
def test_any_document_gets_findings_and_no_exception(text: str) -> None:
    assert findings(text)


def test_results_can_be_merged() -> None:
    left, right = ShapeResult(), ShapeResult()
    right.poisoned.add(1)
    right.schemas[2] = {"type": "string"}
    left.merge(right)
    assert left.poisoned == {1}
    assert left.schemas == {2: {"type": "string"}}


def test_a_deep_and_wide_document_is_walked_without_recursion_trouble() -> None:
    value: object = 1
    for _ in range(60):
        value = [value]
    assert check(Shape({}), node_of(value))[0] == ()
