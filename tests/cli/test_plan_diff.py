"""`adk-decl plan OLD NEW` on real files."""

from __future__ import annotations

import io
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from adk_decl.cli.exit_codes import ANSWER_IS_NO, DONE, FAILED
from adk_decl.cli.main import main
from adk_decl.cli.plan_diff_text import render_diff
from adk_decl.compiler.compile import compile_file
from adk_decl.json_schema import validator
from adk_decl.plan.diff import diff_plans
from tests.architecture.sources import CHECKOUT
from tests.cli.test_validate import INVALID, VALID
from tests.snapshot import check_snapshot

OLD = """\
apiVersion: adk-decl/v1
kind: Manifest
name: desk
models:
  clerk: {use: openai_chat, model: small, base_url: "https://models.example.com/v1"}
agents:
  support: {model: clerk, instruction: planted-instruction}
plugins:
  style: {use: global_instruction, mode: intervene, failure_policy: closed, config: {instruction: planted-old}}
  recent: {use: context_filter, mode: intervene, failure_policy: closed, config: {max_messages: 20}}
  audit: {use: metadata_logger}
runners:
  desk:
    agent: support
    plugins: [style, recent, audit]
    limits: {max_model_calls: 8}
"""
NEW = """\
apiVersion: adk-decl/v1
kind: Manifest
name: desk
models:
  clerk:
    use: openai_chat
    model: "${env:MODEL:-large}"
    base_url: "https://elsewhere.example.com/v1"
    api_key: {secret: {env: CLERK_KEY}}
agents:
  support: {model: clerk, instruction: planted-other}
plugins:
  style: {use: global_instruction, mode: intervene, config: {instruction: planted-new}, timeout_ms: 2000}
  audit: {use: metadata_logger}
runners:
  desk:
    agent: support
    plugins: [audit, style]
    limits: {max_model_calls: 80}
"""

Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in {"old": OLD, "new": NEW, "invalid": INVALID, "other": VALID}.items():
        (tmp_path / f"{name}.yaml").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)


def test_a_review_reads_what_became_weaker(capsys: Captured) -> None:
    assert main(["plan", "old.yaml", "new.yaml"]) == DONE
    out, err = capsys.readouterr()
    assert err == ""
    assert "planted" not in out
    check_snapshot("plan_diff/weaker.txt", _without_digests(out))
    assert main(["plan", "old.yaml", "new.yaml", "--json"]) == DONE
    text = capsys.readouterr().out
    assert "planted" not in text
    check_snapshot("plan_diff/weaker.json", _without_digests(json.dumps(json.loads(text), indent=2) + "\n"))


def test_the_four_that_a_reviewer_must_not_miss(capsys: Captured) -> None:
    main(["plan", "old.yaml", "new.yaml"])
    out = capsys.readouterr().out
    assert "!! weakens: `recent` no longer runs in runner `desk`: a closed guard" in out
    assert "!! weakens: max_model_calls of runner `desk`: 8 → 80" in out
    assert "!! weakens: a failure of plugin `style` of runner `desk` lets the call pass now" in out
    assert "needs: model `clerk` reads the secret env CLERK_KEY" in out


def test_equal_plans(capsys: Captured) -> None:
    assert main(["plan", "old.yaml", "old.yaml", "--exit-code"]) == DONE
    assert capsys.readouterr().out.startswith("the plans are equal · sha256:")


def test_the_exit_code_says_that_plans_differ() -> None:
    assert main(["plan", "old.yaml", "new.yaml", "--exit-code"]) == ANSWER_IS_NO
    assert main(["plan", "old.yaml", "new.yaml", "--exit-code", "--json"]) == ANSWER_IS_NO
    assert main(["plan", "old.yaml", "new.yaml", "--exit-code", "--runner", "desk"]) == ANSWER_IS_NO


@pytest.mark.parametrize(
    "pair", [("invalid.yaml", "new.yaml"), ("old.yaml", "invalid.yaml"), ("none.yaml", "new.yaml")]
)
def test_a_manifest_with_errors_has_no_plan(pair: tuple[str, str], capsys: Captured) -> None:
    assert main(["plan", *pair, "--exit-code"]) == FAILED
    out, err = capsys.readouterr()
    assert out == ""
    assert "ADK" in err
    assert main(["plan", *pair, "--json"]) == FAILED
    schema = json.loads((CHECKOUT / "schemas" / "diagnostics.v1.schema.json").read_text("utf-8"))
    assert validator(schema)(json.loads(capsys.readouterr().out)) == []


@pytest.mark.parametrize(
    "arguments", [["a", "b", "c"], ["old.yaml", "--exit-code"], [], ["old.yaml", "new.yaml", "--runner", "none"]]
)
def test_usage(arguments: list[str], capsys: Captured) -> None:
    assert main(["plan", *arguments]) == FAILED
    assert capsys.readouterr().out == ""


def test_an_older_text_takes_the_place_of_the_new_file(
    tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_tool = OLD.replace("agents:\n", 'tools: {find: {use: "python:tools:find", timeout_ms: 100}}\nagents:\n')
    with_tool = with_tool.replace("{model: clerk,", "{model: clerk, tools: [find],")
    (tmp_path / "tools.py").write_text("def find(text: str) -> str:\n    return text\n", encoding="utf-8")
    (tmp_path / "new.yaml").write_text(with_tool.replace("timeout_ms: 100", "timeout_ms: 200"), encoding="utf-8")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(with_tool.encode())))
    assert main(["plan", "-", "new.yaml", "--json"]) == DONE
    (change,) = json.loads(capsys.readouterr().out)["changes"]
    assert change["path"] == ["tools", "find", "timeout_ms"]
    assert (change["old_origin"]["file"], change["new_origin"]["file"]) == ("-", "new.yaml")


def test_a_text_on_stdin_with_errors_is_told_apart(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = OLD.replace("audit: {use: metadata_logger}", "audit: {uze: metadata_logger}")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(broken.encode())))
    assert main(["plan", "-", "invalid.yaml"]) == FAILED
    err = capsys.readouterr().err
    first, second = err.split("ADK110", 1)[0], err
    assert first.startswith("in the text on stdin, which stands for the old version:\n")
    assert "audit: {uze: metadata_logger}" in second
    assert second.count("error[ADK110]") == 2


def test_a_committed_version_with_its_code(tmp_path: Path, capsys: Captured) -> None:
    git = shutil.which("git")
    if git is None:
        pytest.skip("needs git")
    project = tmp_path / "project"
    shutil.copytree(
        CHECKOUT / "manifests" / "support", project / "support", ignore=shutil.ignore_patterns("__pycache__")
    )
    manifest = project / "desk.adk.yaml"
    shutil.copy(CHECKOUT / "manifests" / "quickstart.adk.yaml", manifest)

    def run(*arguments: str) -> None:
        who = ["-c", "user.name=n", "-c", "user.email=n@example.com"]
        subprocess.run([git, *who, *arguments], cwd=project, check=True, timeout=60, capture_output=True)

    for arguments in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "first"]):
        run(*arguments)
    manifest.write_text(manifest.read_text("utf-8").replace("max_model_calls: 8", "max_model_calls: 9"), "utf-8")
    tools = project / "support" / "tools.py"
    tools.write_text(tools.read_text("utf-8").replace("def lookup_order(", "async def lookup_order("), "utf-8")
    run("worktree", "add", "-q", "--detach", str(tmp_path / "base"), "HEAD")
    assert main(["plan", str(tmp_path / "base" / "desk.adk.yaml"), str(manifest), "--json"]) == DONE
    changes = json.loads(capsys.readouterr().out)["changes"]
    assert [".".join(c["path"]) for c in changes] == [
        "tools.lookup_order.is_async",
        "tools.lookup_order.isolation",
        "runners.desk.limits.max_model_calls",
    ]


def test_any_two_manifests_of_the_corpus_can_be_compared() -> None:
    files = sorted(
        path for folder in ("", "valid") for path in (CHECKOUT / "manifests" / folder).glob("*.adk.*") if path.is_file()
    )
    plans = [result.plan for result in map(compile_file, map(str, files)) if result.plan is not None]
    assert len(plans) > 3
    for old in plans:
        for new in plans:
            diff = diff_plans(old, new)
            assert bool(diff.changes) == (old.digest != new.digest)
            assert render_diff(diff)


def test_names_from_files_reach_no_terminal(tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "new.yaml").write_text(OLD.replace("small", '"\\e[31mred"'), encoding="utf-8")
    assert main(["plan", "old.yaml", "new.yaml"]) == DONE
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "\\x1b[31mred" in out


def test_colour_only_when_asked_for(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADK_DECL_COLOR", "always")
    assert main(["plan", "old.yaml", "new.yaml"]) == DONE
    assert "\x1b[1;31m!! weakens" in capsys.readouterr().out


def _without_digests(text: str) -> str:
    return re.sub(r"sha256:[0-9a-f]{64}", "sha256:…", text)
