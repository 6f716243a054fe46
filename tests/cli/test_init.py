"""`init`: every template is valid, runs, is canonical, and overwrites nothing."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import pytest

from adk_decl.cli.checking import check
from adk_decl.cli.exit_codes import DONE, FAILED
from adk_decl.cli.formatting import Formatted, format_one
from adk_decl.cli.main import main
from adk_decl.cli.starting import new_files
from adk_decl.compiler.compile import compile_file
from adk_decl.data_files import data_names
from tests.architecture.sources import CHECKOUT

Captured = pytest.CaptureFixture[str]
SCHEMA = "manifest.v1.schema.json"
ALL = [[*kind, *form] for kind, form in product(([], ["--with-tool"], ["--kind", "overlay"]), ([], ["--toml"]))]


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ADK_DECL_STATE_DIR", str(tmp_path / "state"))


def written() -> list[str]:
    return sorted(path.as_posix() for path in Path().rglob("*") if path.is_file())


@pytest.mark.parametrize("options", ALL, ids=" ".join)
def test_what_is_written_is_valid_and_canonical(options: list[str]) -> None:
    assert main(["init", *options]) == DONE
    for path in Path().glob("*.adk.*"):
        assert check([str(path)]).diagnostics == ()
        assert format_one(str(path)) == Formatted(files=1)


@pytest.mark.parametrize("options", ALL, ids=" ".join)
def test_what_is_commented_out_is_valid_too(options: list[str]) -> None:
    assert main(["init", *options]) == DONE
    [path] = Path().glob("*.adk.*")
    text = re.sub(
        r"(?m)^( *)# ((?:  )*(?!yaml-language)(?:[a-z_-]+:|[a-z_]+ = |\[[a-z]+\.|\"\$).*)$", r"\1\2", path.read_text()
    )
    assert text.count("#") < path.read_text().count("#") - 2
    path.write_text(text)
    overlays: list[str] = []
    if "overlay" in options:
        overlays = [path.name]
        path = _base_with_plugins(toml="--toml" in options)
    found = compile_file(str(path), overlays=overlays)
    assert found.plan is not None, found.diagnostics
    assert {d.code for d in found.diagnostics} <= {"ADK204"}


def _base_with_plugins(*, toml: bool) -> Path:
    name = "base.adk.toml" if toml else "base.adk.yaml"
    assert main(["init", name]) == DONE
    path = Path(name)
    plugin = (
        '[plugins.recent-messages]\nuse = "context_filter"\nmode = "intervene"\n'
        if toml
        else "plugins:\n  recent-messages: {use: context_filter, mode: intervene}\n"
    )
    listed = (
        'agent = "assistant"\nplugins = ["recent-messages"]'
        if toml
        else "agent: assistant\n    plugins: [recent-messages]"
    )
    text = path.read_text().replace('agent = "assistant"' if toml else "agent: assistant", listed)
    path.write_text(f"{text}\n{plugin}")
    return path


@pytest.mark.parametrize("toml", [[], ["--toml"]])
@pytest.mark.parametrize(
    ("options", "message", "answer"),
    [([], "Hello", "Hello. I am a script."), (["--with-tool"], "Count the words", "My tool counted 3 words.")],
)
def test_it_runs_at_once(toml: list[str], options: list[str], message: str, answer: str, capsys: Captured) -> None:
    assert main(["init", *options, *toml]) == DONE
    name = "agent.adk.toml" if toml else "agent.adk.yaml"
    capsys.readouterr()
    assert main(["run", name, "--message", message]) == DONE
    assert answer in capsys.readouterr().out


def test_both_formats_are_one_plan() -> None:
    for options in ([], ["--with-tool"]):
        digests = set()
        for name in ("agent.adk.yaml", "agent.adk.toml"):
            assert main(["init", name, *options]) == DONE
            plan = compile_file(name).plan
            assert plan is not None
            digests.add(plan.digest)
            Path(name).unlink()
            Path("agent_tools.py").unlink(missing_ok=True)
        assert len(digests) == 1


def test_the_files_and_what_is_said(capsys: Captured) -> None:
    assert main(["init", "manifests/support.adk.yaml", "--with-tool"]) == DONE
    files = ["manifests/support.adk.yaml", "manifests/agent_tools.py", f"manifests/schemas/{SCHEMA}"]
    assert capsys.readouterr().err == "".join(f"wrote {file}\n" for file in files)
    assert written() == sorted(files)
    text = Path(files[0]).read_text()
    assert f"$schema=schemas/{SCHEMA}\n" in text
    assert "\nname: support\n" in text
    assert "#   adk-decl validate manifests/support.adk.yaml\n" in text
    assert (Path("manifests/schemas") / SCHEMA).read_bytes() == (CHECKOUT / "schemas" / SCHEMA).read_bytes()


@pytest.mark.parametrize(("place", "shown"), [("manifests/schemas", "schemas"), ("schemas", "../schemas")])
def test_a_schema_that_is_there_is_used(place: str, shown: str) -> None:
    Path(place).mkdir(parents=True)
    (Path(place) / SCHEMA).write_text("{}")
    Path("manifests").mkdir(exist_ok=True)
    assert main(["init", "manifests"]) == DONE
    assert written() == sorted(["manifests/agent.adk.yaml", f"{place}/{SCHEMA}"])
    assert f"$schema={shown}/{SCHEMA}\n" in Path("manifests/agent.adk.yaml").read_text()
    assert (Path(place) / SCHEMA).read_text() == "{}"


@pytest.mark.parametrize("there", ["agent.adk.yaml", "agent_tools.py"])
def test_nothing_is_overwritten(there: str, capsys: Captured) -> None:
    Path(there).write_text("mine")
    assert main(["init", "--with-tool"]) == FAILED
    assert f"{there} is there already" in capsys.readouterr().err
    assert written() == [there]
    assert Path(there).read_text() == "mine"


def test_a_link_that_leads_nowhere_is_there_too() -> None:
    Path("agent.adk.yaml").symlink_to("elsewhere")
    assert main(["init"]) == FAILED
    assert not Path("elsewhere").exists()


def test_nothing_is_left_behind_when_a_file_can_not_be_written(capsys: Captured) -> None:
    Path("schemas").write_text("no folder")
    assert main(["init"]) == FAILED
    assert "nothing was written" in capsys.readouterr().err
    assert written() == ["schemas"]


@pytest.mark.parametrize(
    "arguments",
    [["x.yaml"], ["x"], ["x.adk.yaml", "--toml"], ["--kind", "overlay", "--with-tool"], ["--kind", "nonsense"]],
)
def test_wrong_usage(arguments: list[str]) -> None:
    assert main(["init", *arguments]) == FAILED
    assert written() == []


def test_stdout_writes_nothing(capsys: Captured) -> None:
    assert main(["init", "--stdout", "--toml"]) == DONE
    assert capsys.readouterr().out.startswith("#:schema schemas/")
    assert written() == []


@pytest.mark.parametrize(
    ("path", "name", "command"),
    [
        ("my agent.adk.yaml", "my-agent", "adk-decl validate 'my agent.adk.yaml'"),
        ("a: b #c.adk.yaml", "a--b--c", "adk-decl validate 'a: b #c.adk.yaml'"),
        ("x\nkind: y.adk.yaml", "x-kind--y", "adk-decl validate agent.adk.yaml"),
        ("1st.adk.yaml", "agent", "adk-decl validate 1st.adk.yaml"),
        ("support.adk.yml", "support", "adk-decl validate support.adk.yml"),
    ],
)
def test_a_name_of_any_kind_can_not_change_what_the_file_says(path: str, name: str, command: str) -> None:
    file = new_files(path, kind="manifest", toml=False, with_tool=False)[0]
    text = file.content.decode()
    assert f"\nname: {name}\n" in text
    assert f"#   {command}\n" in text
    usual = new_files("", kind="manifest", toml=False, with_tool=False)[0].content.decode()
    assert _code(text) == _code(usual).replace("name: agent", f"name: {name}")


def _code(text: str) -> str:
    return "\n".join(line for line in text.split("\n") if not line.startswith("#"))


def test_every_template_is_used() -> None:
    used = {"agent", "agent_with_tool", "overlay"}
    names = {path.name for path in (CHECKOUT / "manifests" / "templates").iterdir() if path.is_file()}
    assert names == {f"{name}.adk.{form}" for name in used for form in ("yaml", "toml")} | {"agent_tools.py"}
    assert SCHEMA in data_names("schemas")
