"""Start-up and `validate` against bare Python and check-jsonschema: CPU time, medians, ratios of one run.

python -m tests.benchmarks.bench_validate [--short]
"""

from __future__ import annotations

import argparse
import importlib.util
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from tests.benchmarks.manifests import at_the_node_limit, hostile, manifest
from tests.benchmarks.processes import Job, Times, measure, table

CHECKOUT = Path(__file__).resolve().parents[2]
SCHEMA = CHECKOUT / "schemas" / "manifest.v1.schema.json"

_PURE = "import sys; sys.modules['_ruamel_yaml'] = None; "
_CLI = "import sys; from adk_decl.cli.main import main; sys.exit(main(sys.argv[1:]))"


class Figure(NamedTuple):
    """A ratio to reach: `of` over `over`, at most `most`. `wall` takes wall time instead of CPU time."""

    name: str
    of: str
    over: str
    most: float
    wall: bool = False


def jobs(folder: Path) -> dict[str, Job]:
    """Every command that is measured, with its files written into `folder`."""
    small, large, many = folder / "small.adk.yaml", folder / "large.adk.yaml", folder / "many"
    untidy = folder / "untidy.adk.yaml"
    small.write_text(manifest(200), encoding="utf-8")
    large.write_text(manifest(5000), encoding="utf-8")
    untidy.write_text(manifest(5000).replace("  ", "    ").replace(": ", ":  "), encoding="utf-8")
    many.mkdir()
    for number in range(200):
        (many / f"m{number:03}.adk.yaml").write_text(manifest(200, seed=number), encoding="utf-8")
    found = {
        "python -c pass": Job((sys.executable, "-c", "pass"), folder),
        "--help": _adk(folder, "--help"),
        "--version": _adk(folder, "--version"),
        "validate 200 lines": _validate(folder, small.name),
        "validate 5,000 lines": _validate(folder, large.name),
        "validate 200 files": _validate(folder, many.name),
        "validate 200 lines, pure": _validate(folder, small.name, pure=True),
        "validate 5,000 lines, pure": _validate(folder, large.name, pure=True),
        "validate 200 files, pure": _validate(folder, many.name, pure=True),
        "validate 200 lines, warm": _warm(folder, "validate", small.name),
        "validate 200 files, warm": _warm(folder, "validate", many.name),
        "fmt 5,000 lines": _adk(folder, "fmt", "--check", large.name),
        "fmt 5,000 lines, untidy": _adk(folder, "fmt", "--check", untidy.name, exit_codes=(2,)),
        "hook 200 lines": Job((sys.executable, "-m", "adk_decl.hook", "--no-cache", small.name), folder),
    }
    return found | _hostile_jobs(folder) | _peer_jobs(folder, small, large, many) | _pre_commit_jobs(folder, small)


def figures(measured: Sequence[str]) -> list[Figure]:
    """The ratios to reach, as far as both sides were measured."""
    wanted = [
        Figure("one 200-line manifest / bare Python", "validate 200 lines", "python -c pass", 11),
        Figure("one 200-line manifest", "validate 200 lines", "check-jsonschema 200 lines", 0.5),
        Figure("one 5,000-line manifest", "validate 5,000 lines", "check-jsonschema 5,000 lines", 0.45),
        Figure("200 files", "validate 200 files", "check-jsonschema 200 files", 0.45),
        Figure("one file, warm / bare Python", "validate 200 lines, warm", "python -c pass", 6.5),
        Figure("200 files, warm / bare Python", "validate 200 files, warm", "python -c pass", 6.5),
        Figure("one 200-line manifest, pure", "validate 200 lines, pure", "yamllint 200 lines", 1),
        Figure("one 5,000-line manifest, pure", "validate 5,000 lines, pure", "yamllint 5,000 lines", 1),
        Figure("200 files, pure", "validate 200 files, pure", "yamllint 200 files", 1),
        Figure("fmt / validate", "fmt 5,000 lines", "validate 5,000 lines", 1.5),
        Figure("fmt / validate, all to do", "fmt 5,000 lines, untidy", "validate 5,000 lines", 1.5),
        Figure("as a pre-commit hook", "pre-commit validate", "pre-commit no-op", 1.8, wall=True),
        Figure("node limit", "hostile: node limit", "validate empty file", 2),
        Figure("node limit, pure", "hostile: node limit, pure", "validate empty file", 25),
    ]
    refused = [name for name in measured if name.startswith("hostile: ") and "node limit" not in name]
    wanted += [Figure(name, name, "validate empty file", 2) for name in refused]
    return [figure for figure in wanted if figure.of in measured and figure.over in measured]


def ratio(figure: Figure, times: dict[str, Times]) -> float:
    """What was measured for a figure."""
    of, over = times[figure.of], times[figure.over]
    return of.wall_ms / over.wall_ms if figure.wall else of.cpu_ms / over.cpu_ms


def report(times: dict[str, Times]) -> str:
    """Two tables: milliseconds of each command, and each figure with what was to be reached."""
    bare = times["python -c pass"].cpu_ms
    rows = [("command", "CPU ms", "x bare", "wall ms")]
    rows += [(n, f"{t.cpu_ms:.1f}", f"{t.cpu_ms / bare:.1f}", f"{t.wall_ms:.1f}") for n, t in times.items()]
    goals = [("figure", "ratio", "to reach", "")]
    for figure in figures(tuple(times)):
        value = ratio(figure, times)
        goals.append((figure.name, f"{value:.2f}", f"{figure.most:g}", "" if value <= figure.most else "missed"))
    return table(rows) + "\n\n" + table(goals)


def _validate(folder: Path, name: str, *, pure: bool = False, exit_codes: tuple[int, ...] = (0,)) -> Job:
    """Every round compiles: nothing is remembered."""
    return _adk(folder, "validate", "--no-cache", name, pure=pure, exit_codes=exit_codes)


def _warm(folder: Path, *arguments: str) -> Job:
    """The round that does not count fills the cache."""
    cache = f"import os; os.environ['ADK_DECL_CACHE'] = {str(folder / 'cache')!r}; "
    return Job((sys.executable, "-c", cache + _CLI, *arguments), folder)


def _adk(folder: Path, *arguments: str, pure: bool = False, exit_codes: tuple[int, ...] = (0,)) -> Job:
    return Job((sys.executable, "-c", (_PURE if pure else "") + _CLI, *arguments), folder, exit_codes)


def _hostile_jobs(folder: Path) -> dict[str, Job]:
    place = folder / "hostile"
    place.mkdir()
    (place / "empty.yaml").write_text("", encoding="utf-8")
    found = {"validate empty file": _validate(place, "empty.yaml", exit_codes=(1,))}
    for name, text in {**hostile(), "node limit": at_the_node_limit()}.items():
        file = place / (name.replace(" ", "-").replace(",", "") + ".yaml")
        file.write_text(text, encoding="utf-8")
        for pure in (False, True):
            label = f"hostile: {name}" + (", pure" if pure else "")
            found[label] = _validate(place, file.name, pure=pure, exit_codes=(1,))
    return found


def _peer_jobs(folder: Path, small: Path, large: Path, many: Path) -> dict[str, Job]:
    if importlib.util.find_spec("check_jsonschema") is None or not SCHEMA.is_file():
        return {}
    head = (sys.executable, "-m", "check_jsonschema", "--schemafile", str(SCHEMA))
    return _yamllint_jobs(folder, small, large, many) | {
        "check-jsonschema 200 lines": Job((*head, str(small)), folder),
        "check-jsonschema 5,000 lines": Job((*head, str(large)), folder),
        "check-jsonschema 200 files": Job((*head, *(str(file) for file in sorted(many.iterdir()))), folder),
    }


def _yamllint_jobs(folder: Path, small: Path, large: Path, many: Path) -> dict[str, Job]:
    if importlib.util.find_spec("yamllint") is None:
        return {}
    head = (sys.executable, "-m", "yamllint", "-d", "relaxed")
    return {
        "yamllint 200 lines": Job((*head, str(small)), folder),
        "yamllint 5,000 lines": Job((*head, str(large)), folder),
        "yamllint 200 files": Job((*head, *(str(file) for file in sorted(many.iterdir()))), folder),
    }


def _pre_commit_jobs(folder: Path, small: Path) -> dict[str, Job]:
    git = shutil.which("git")
    if git is None or importlib.util.find_spec("pre_commit") is None:
        return {}
    found = {}
    entries = {"no-op": "true", "validate": f"{sys.executable} -m adk_decl.hook --no-cache"}
    for name, entry in entries.items():
        place = folder / f"pre-commit-{name}"
        place.mkdir()
        (place / ".pre-commit-config.yaml").write_text(
            "repos:\n- repo: local\n  hooks:\n"
            f"  - {{id: h, name: h, language: system, entry: '{entry}', files: '\\.adk\\.yaml$'}}\n",
            encoding="utf-8",
        )
        shutil.copy(small, place)
        for arguments in (("init", "-q"), ("add", "-A")):
            subprocess.run([git, *arguments], cwd=place, check=True, timeout=30)
        found[f"pre-commit {name}"] = Job((sys.executable, "-m", "pre_commit", "run", "--all-files"), place)
    return found


def main() -> None:
    """Measure and print the tables; figures that are missed are marked."""
    parser = argparse.ArgumentParser(description="Start-up and validate, as ratios of one run.")
    parser.add_argument("--runs", type=int, default=9, help="rounds to take the median of")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        times = measure(jobs(Path(folder)), rounds=arguments.runs)
    print(report(times))


if __name__ == "__main__":
    main()
