"""Which files of a project a reference reaches."""

from __future__ import annotations

from pathlib import Path

import pytest

from adk_decl.lock.project_code import ProjectCode

FILES = {
    "pkg/__init__.py": "from . import early\n",
    "pkg/early.py": "",
    "pkg/policy.py": "from .words import LIST\nfrom ..other import x\nimport pkg.deep.leaf\n",
    "pkg/words.py": "def f():\n    from pkg.late import g\n    return g\n",
    "pkg/late.py": "from pkg import policy\ntry:\n    import json\nexcept ImportError:\n    import fallback\n",
    "pkg/deep/__init__.py": "",
    "pkg/deep/leaf.py": "from . import twig as renamed\n",
    "pkg/deep/twig.py": "",
    "pkg/unused.py": "",
    "fallback.py": "this is : not python\n",
}


@pytest.fixture
def code(tmp_path: Path) -> ProjectCode:
    """A small project."""
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return ProjectCode([str(tmp_path)], inside=str(tmp_path))


def reached(code: ProjectCode, module: str, root: Path) -> set[str]:
    """Relative names of what a module reaches."""
    return {Path(path).relative_to(root).as_posix() for path in code.digests(module)}


def test_imports_are_followed_wherever_they_stand(code: ProjectCode, tmp_path: Path) -> None:
    assert reached(code, "pkg.policy", tmp_path) == set(FILES) - {"pkg/unused.py"}


def test_a_leaf_brings_its_packages(code: ProjectCode, tmp_path: Path) -> None:
    assert reached(code, "pkg.deep.twig", tmp_path) == {
        "pkg/__init__.py",
        "pkg/early.py",
        "pkg/deep/__init__.py",
        "pkg/deep/twig.py",
    }


def test_the_digest_is_that_of_the_bytes(code: ProjectCode, tmp_path: Path) -> None:
    before = code.digests("fallback")
    assert next(iter(before.values())).startswith("sha256:")
    (tmp_path / "fallback.py").write_text("other\n", encoding="utf-8")
    assert ProjectCode([str(tmp_path)], inside=str(tmp_path)).digests("fallback") != before


def test_what_is_not_there_or_leads_out_is_left_out(tmp_path: Path) -> None:
    inside = tmp_path / "project"
    inside.mkdir()
    (tmp_path / "outside.py").write_text("", encoding="utf-8")
    (inside / "leads_out.py").symlink_to(tmp_path / "outside.py")
    (inside / "a.py").write_text("import leads_out, missing\nfrom .... import far\n", encoding="utf-8")
    code = ProjectCode([str(inside)], inside=str(inside))
    assert reached(code, "a", inside) == {"a.py"}
    assert code.digests("missing") == {}
