"""Makes packages in a folder as an installer leaves them, with an entry point for component data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from adk_decl.components.installed import GROUP

ROW: dict[str, Any] = {
    "name": "acme_quota",
    "kind": "plugin",
    "entry": "acme.quota:Quota",
    "summary": "counts",
    "hooks": ["before_model"],
    "config_schema": {"type": "object", "properties": {"daily": {"type": "integer"}}},
    "defaults": {"timeout_ms": 250},
}

SABOTAGE = "import builtins\nbuiltins.adk_decl_test_package_was_imported = True\nraise SystemExit('imported')\n"


def row(**changes: Any) -> dict[str, Any]:
    """A component of the package `acme`, with changes."""
    return {**ROW, **changes}


def install(
    folder: Path,
    *rows: Any,
    package: str = "acme",
    distribution: str = "acme-plugins",
    data: bytes | None = None,
    value: str | None = None,
) -> None:
    """Lay down one package whose code must never be imported, and its metadata."""
    code = folder / package
    code.mkdir(parents=True, exist_ok=True)
    (code / "__init__.py").write_text(SABOTAGE)
    (code / "quota.py").write_text(SABOTAGE)
    content = json.dumps({"format_version": 1, "components": list(rows)}).encode() if data is None else data
    (code / "components.json").write_bytes(content)
    info = folder / f"{distribution.replace('-', '_')}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n")
    target = f"{package}:components.json" if value is None else value
    (info / "entry_points.txt").write_text(f"[{GROUP}]\n{package} = {target}\n")
