"""Small projects written to a folder: a manifest and the code it names."""

from __future__ import annotations

import textwrap
from pathlib import Path

HEAD = """
apiVersion: adk-decl/v1
kind: Manifest
name: trial
"""


def write_project(folder: Path, manifest: str, **modules: str) -> Path:
    """Write `trial.adk.yaml` and one Python file per keyword; return the manifest."""
    (folder / "pyproject.toml").write_text("")
    for name, text in modules.items():
        (folder / f"{name}.py").write_text(textwrap.dedent(text), encoding="utf-8")
    path = folder / "trial.adk.yaml"
    path.write_text(HEAD + textwrap.dedent(manifest), encoding="utf-8")
    return path


def one_plugin(
    hook_body: str, *, policy: str = "closed", phase: str = "before_model", extra: str = ""
) -> tuple[str, str]:
    """A manifest with one scripted answer and one plugin, and the code of that plugin."""
    manifest = f"""
    models:
      m: {{use: scripted, config: {{replies: [{{text: the answer}}]}}}}
    agents:
      a: {{model: m}}
    plugins:
      bad: {{use: "python:bad:Bad", mode: intervene, failure_policy: {policy}, timeout_ms: 300, {extra}}}
    runners:
      r: {{agent: a, plugins: [bad], session_store: {{use: memory}}}}
    """
    code = textwrap.dedent(
        f"""
        import os, re
        from adk_decl.plugins import Plugin, halt, ret, text_response

        class Bad(Plugin):
            def {phase}(self, ctx, value):
        """
    ) + textwrap.indent(textwrap.dedent(hook_body), " " * 8)
    return manifest, code


def one_tool(tool: str, *, extra: str = "", plugins: str = "") -> str:
    """A manifest whose model calls the tool `work` once and then says how it went."""
    return f"""
    models:
      m:
        use: scripted
        config:
          replies:
            - {{when: {{turn: 1}}, tool_calls: [{{name: work, args: {{}}}}]}}
            - {{text: "success: <<success>>"}}
    tools:
      work: {{use: "python:{tool}", {extra}}}
    agents:
      a: {{model: m, tools: [work]}}
    runners:
      r: {{agent: a, session_store: {{use: memory}}, {plugins}}}
    """
