"""Small projects for tests: files in a temporary folder, compiled from there."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from adk_decl.compiler.compile import CompileResult, compile_file
from adk_decl.plan.model import Plan

HEAD = "apiVersion: adk-decl/v1\nkind: Manifest\nname: example\n"
MODEL = "models:\n  clerk: {use: scripted, config: {replies: [{text: Hello.}]}}\n"
AGENT = "agents:\n  support: {model: clerk}\n"
RUNNER = "runners:\n  desk: {agent: support}\n"
BASE = HEAD + MODEL + AGENT + RUNNER
"""The smallest manifest without findings."""

PLUGIN = "from adk_decl.plugins import Plugin, ret, text_response\n\n\n"
"""How a module with plugins begins."""


def write_files(folder: Path, files: Mapping[str, str | bytes]) -> None:
    """Write files below a folder, which becomes a project root."""
    (folder / "pyproject.toml").touch()
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def compile_text(folder: Path, manifest: str, files: Mapping[str, str | bytes] | None = None) -> CompileResult:
    """Compile a manifest that lies in `folder` beside other files."""
    write_files(folder, {**(files or {}), "m.adk.yaml": manifest})
    return compile_file(str(folder / "m.adk.yaml"))


def codes(result: CompileResult) -> list[str]:
    """The codes of all findings, sorted."""
    return sorted(found.code for found in result.diagnostics)


def compiled(folder: Path, manifest: str, files: Mapping[str, str | bytes] | None = None) -> Plan:
    """The plan of a manifest that has to compile without errors."""
    result = compile_text(folder, manifest, files)
    assert result.plan is not None, [(d.code, d.message) for d in result.diagnostics]
    return result.plan


def with_plugin(descriptor: str, *, runner: str = "", plugins: str = "p") -> str:
    """A manifest with one plugin `p` in its runner."""
    desk = f"runners:\n  desk: {{agent: support, plugins: [{plugins}]{runner}}}\n"
    return f"{HEAD}{MODEL}{AGENT}plugins:\n  p: {{{descriptor}}}\n{desk}"


def with_tool(tool: str) -> str:
    """A manifest with one tool `t` in its agent."""
    return f"{HEAD}{MODEL}tools:\n  t: {{{tool}}}\nagents:\n  support: {{model: clerk, tools: [t]}}\n{RUNNER}"
