"""The cache of clean results: it must notice every change, and never get in the way."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adk_decl import disk
from adk_decl.compiler import clean_results
from adk_decl.compiler.clean_results import CleanResults
from adk_decl.compiler.compile import compile_file
from adk_decl.components import catalogue
from adk_decl.plan.limits import LIMITS
from tests.compiler.project import BASE, HEAD, MODEL, PLUGIN, RUNNER, with_plugin, with_tool, write_files
from tests.components.packages import install, row

FUNCTION = "def look(order: str) -> str:\n    '''Look.'''\n    return order\n"
MANIFEST = "manifests/m.adk.yaml"


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """A folder for results, outside the project."""
    return tmp_path / "cache"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project folder, the current one."""
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def compile_and_keep(cache: Path) -> None:
    catalogue.forget()
    with disk.Recorder() as seen:
        result = compile_file(MANIFEST, checks_only=True)
    assert result.diagnostics == ()
    results = CleanResults(str(cache))
    results.keep(MANIFEST, shown=result.file, seen=seen)
    results.prune()


def known(cache: Path, **options: tuple[str, ...]) -> str | None:
    return CleanResults(str(cache), **options).find(MANIFEST)


def edited(name: str, old: str, new: str) -> Callable[[Path], None]:
    def change(project: Path) -> None:
        file = project / name
        text = file.read_text()
        assert old in text
        times = file.stat()
        file.write_text(text.replace(old, new))
        os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))

    return change


def added(name: str, content: str = "") -> Callable[[Path], None]:
    def change(project: Path) -> None:
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(content)

    return change


def removed(name: str) -> Callable[[Path], None]:
    return lambda project: (project / name).unlink()


TOOL = {MANIFEST: with_tool("use: 'python:shop:look'"), "shop.py": FUNCTION}
REEXPORT = {
    MANIFEST: with_tool("use: 'python:shop:look'"),
    "shop/__init__.py": "from shop.orders import look\n",
    "shop/orders.py": FUNCTION,
}
PLUGIN_CODE = {
    MANIFEST: with_plugin("use: 'python:guard:Guard'"),
    "guard.py": PLUGIN + "class Guard(Plugin):\n    def before_run(self, ctx, value):\n        return None\n",
}
SCHEMA = {
    MANIFEST: HEAD + MODEL + "agents:\n  support: {model: clerk, output_schema: answer.json}\n" + RUNNER,
    "manifests/answer.json": '{"type": "object"}\n',
}
ROOTS = {MANIFEST: with_tool("use: 'python:shop:look'") + "code_roots: [../src]\n", "src/shop.py": FUNCTION}

CHANGES = {
    "the manifest": (TOOL, edited(MANIFEST, "model: clerk", "model: clerc"), "ADK202"),
    "a referenced function, of the same length and time": (TOOL, edited("shop.py", "def look", "def luck"), "ADK207"),
    "a function behind a re-export": (REEXPORT, edited("shop/orders.py", "order: str", "order: Xyz"), "ADK213"),
    "a hook of a plugin": (PLUGIN_CODE, edited("guard.py", "before_run", "before_rum"), "ADK210"),
    "the schema of the answer": (SCHEMA, edited("manifests/answer.json", "object", "string"), "ADK217"),
    "a module that hides the one found": (TOOL, added("manifests/shop.py"), "ADK207"),
    "a package that hides the module found": (TOOL, added("shop/__init__.py"), "ADK207"),
    "a module that is gone": (TOOL, removed("shop.py"), "ADK206"),
    "a code root that is gone": (ROOTS, lambda project: (project / "src").rename(project / "lib"), "ADK217"),
    "a nearer project root": (ROOTS, added("manifests/pyproject.toml"), "ADK221"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_is_noticed(name: str, project: Path, cache: Path) -> None:
    files, change, code = CHANGES[name]
    write_files(project, files)
    compile_and_keep(cache)
    assert known(cache) == MANIFEST
    change(project)
    assert known(cache) is None
    assert code in {found.code for found in compile_file(MANIFEST).diagnostics}


def test_a_link_that_leads_elsewhere_now_is_noticed(project: Path, cache: Path, tmp_path: Path) -> None:
    write_files(project, {MANIFEST: TOOL[MANIFEST], "here.py": FUNCTION})
    (tmp_path / "outside.py").write_text(FUNCTION)
    (project / "shop.py").symlink_to("here.py")
    compile_and_keep(cache)
    assert known(cache) == MANIFEST
    (project / "shop.py").unlink()
    (project / "shop.py").symlink_to("../outside.py")
    assert known(cache) is None


def test_an_installed_package_of_the_name_is_noticed(
    project: Path, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = tmp_path / "site-packages"
    site.mkdir()
    monkeypatch.syspath_prepend(site)
    write_files(project, TOOL)
    compile_and_keep(cache)
    assert known(cache) == MANIFEST
    (site / "shop.py").touch()
    assert known(cache) is None


@pytest.mark.parametrize("what", ["data", "metadata", "another package", "package gone"])
def test_installed_component_data_counts(
    what: str, project: Path, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = tmp_path / "site-packages"
    install(site, row())
    monkeypatch.syspath_prepend(site)
    write_files(project, {MANIFEST: with_plugin("use: acme_quota, config: {daily: 3}")})
    compile_and_keep(cache)
    assert known(cache) == MANIFEST
    if what == "data":
        file = site / "acme" / "components.json"
        file.write_text(file.read_text().replace("integer", "boolean"))
    elif what == "metadata":
        (site / "acme_plugins-1.0.dist-info" / "entry_points.txt").write_text("")
    elif what == "another package":
        install(site, row(), package="other", distribution="other-plugins")
    else:
        (site / "acme").rename(tmp_path / "acme")
    assert known(cache) is None
    catalogue.forget()


def test_data_that_the_process_remembers_counts_for_each_manifest(
    project: Path, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = tmp_path / "site-packages"
    install(site, row())
    monkeypatch.syspath_prepend(site)
    write_files(project, {MANIFEST: with_plugin("use: acme_quota"), "a.adk.yaml": with_plugin("use: acme_quota")})
    catalogue.forget()
    compile_file("a.adk.yaml")
    with disk.Recorder() as seen:
        compile_file(MANIFEST)
    catalogue.forget()
    assert {"offers", "package", "read"} <= {kind for kind, _ in seen.answers}


def test_other_options_another_folder_and_other_search_paths_are_other_results(
    project: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files(project, {MANIFEST: BASE})
    compile_and_keep(cache)
    assert known(cache, options=("--project-root=/",)) is None
    with monkeypatch.context() as patch:
        patch.setattr(sys, "path", [*sys.path, "/elsewhere"])
        assert known(cache) is None
    with monkeypatch.context() as patch:
        patch.setattr(clean_results, "VERSION", "0.0.0")
        assert known(cache) is None
    assert known(cache) == MANIFEST
    (project / "manifests").rename(project / "below")
    (project / "below" / "manifests").mkdir()
    (project / "below" / "m.adk.yaml").rename(project / "below" / MANIFEST)
    monkeypatch.chdir(project / "below")
    assert known(cache) is None


@given(st.data())
def test_a_part_of_an_entry_counts_for_nothing(data: st.DataObject) -> None:
    answers = {("read", "/p/m.adk.yaml"): "00ff", ("exists", "/p/.git"): "no"}
    whole = clean_results._render("m.adk.yaml", answers)
    assert whole is not None
    assert clean_results._parse(whole) == ("m.adk.yaml", [(*key, answer) for key, answer in answers.items()])
    position = data.draw(st.integers(0, len(whole) - 1))
    assert clean_results._parse(whole[:position]) is None
    changed = whole[:position] + bytes([whole[position] ^ 1]) + whole[position + 1 :]
    assert clean_results._parse(changed) is None


def test_a_broken_cache_is_made_good_in_silence(project: Path, cache: Path) -> None:
    write_files(project, {MANIFEST: BASE})
    compile_and_keep(cache)
    (entry,) = (cache / "validate").iterdir()
    entry.write_bytes(b"\xff" * 100)
    assert known(cache) is None
    compile_and_keep(cache)
    assert known(cache) == MANIFEST


def test_a_place_that_can_t_be_written_is_no_problem(project: Path, tmp_path: Path) -> None:
    write_files(project, {MANIFEST: BASE})
    (tmp_path / "file").touch()
    for place in (tmp_path / "file" / "below", Path("/proc/no-such-place"), Path("/dev/null")):
        compile_and_keep(place)
        assert known(place) is None


def test_results_of_somebody_else_are_not_believed(project: Path, cache: Path) -> None:
    write_files(project, {MANIFEST: BASE})
    compile_and_keep(cache)
    (cache / "validate").chmod(0o777)
    assert known(cache) is None
    compile_and_keep(cache)
    (cache / "validate").chmod(0o700)
    assert known(cache) == MANIFEST
    (cache / "validate").rename(cache / "real")
    (cache / "validate").symlink_to("real")
    assert known(cache) is None


def test_what_can_t_be_asked_again_is_not_kept(project: Path, cache: Path) -> None:
    write_files(project, {MANIFEST: BASE})
    results = CleanResults(str(cache))
    incomplete, odd = disk.Recorder(), disk.Recorder()
    incomplete.complete = False
    odd.note("read", "a\tb", "0")
    results.keep(MANIFEST, shown=MANIFEST, seen=incomplete)
    results.keep(MANIFEST, shown=MANIFEST, seen=odd)
    assert not cache.exists() or not list((cache / "validate").iterdir())


def test_an_unknown_question_is_not_answered(project: Path, cache: Path) -> None:
    write_files(project, {MANIFEST: BASE})
    seen = disk.Recorder()
    seen.note("of a later version", "x", "yes")
    CleanResults(str(cache)).keep(MANIFEST, shown=MANIFEST, seen=seen)
    assert known(cache) is None


def test_the_folder_is_bounded(project: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clean_results, "MOST_ENTRIES", 8)
    results = CleanResults(str(cache))
    seen = disk.Recorder()
    for number in range(12):
        results.keep(f"{number}.adk.yaml", shown="x", seen=seen)
        os.utime(max((cache / "validate").iterdir(), key=os.path.getctime), ns=(number, number))
    (cache / "validate" / "left.part").touch()
    os.utime(cache / "validate" / "left.part", ns=(0, 0))
    results.prune()
    assert len(list((cache / "validate").iterdir())) == 6
    assert [CleanResults(str(cache)).find(f"{n}.adk.yaml") for n in (0, 5, 6, 11)] == [None, None, "x", "x"]


def test_the_bounds_stand_in_the_table() -> None:
    assert LIMITS["cache.entries"].default == clean_results.MOST_ENTRIES
    assert LIMITS["cache.entry_bytes"].default == clean_results.LARGEST_ENTRY_BYTES


@pytest.mark.parametrize(("fixed", "name"), [(b"r", "x"), (b"", "x" * clean_results.LARGEST_ENTRY_BYTES)])
def test_an_entry_is_bounded(fixed: bytes, name: str) -> None:
    rendered = clean_results._render("m", {("read", name): "0"})
    assert (rendered is None) == (not fixed)


_WRITER = """
import sys
from adk_decl import disk
from adk_decl.compiler.clean_results import CleanResults
seen = disk.Recorder()
for number in range(200):
    results = CleanResults(sys.argv[1])
    results.keep("m.adk.yaml", shown="m", seen=seen)
    assert CleanResults(sys.argv[1]).find("m.adk.yaml") == "m"
"""


def test_processes_do_not_disturb_each_other(project: Path, cache: Path) -> None:
    writers = [subprocess.Popen([sys.executable, "-c", _WRITER, str(cache)], cwd=project) for _ in range(3)]
    assert [writer.wait(timeout=60) for writer in writers] == [0, 0, 0]
    assert len(list((cache / "validate").iterdir())) == 1
