"""Measures the findings: many mistakes are made, and for each it is seen what the compiler says.

`python -m tests.quality.measure --count 1000 --seed 1` prints the table; `--show KIND` prints what went wrong.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

from adk_decl.compiler.compile import compile_file
from adk_decl.diagnostics.diagnostic import Diagnostic
from tests.quality import misplaced, mistakes, oracle
from tests.quality.bases import Base, bases, lay_out
from tests.quality.mistakes import Maker, Mutant
from tests.quality.spots import source

KINDS: tuple[Maker, ...] = (
    mistakes.misspelt_key,
    mistakes.misspelt_reference,
    mistakes.misspelt_component,
    mistakes.misspelt_choice,
    mistakes.misspelt_hook,
    mistakes.misspelt_head,
    mistakes.misspelt_module,
    mistakes.misspelt_attribute,
    mistakes.unit_in_key,
    mistakes.unknown_reference,
    mistakes.foreign_choice,
    mistakes.other_hook,
    mistakes.broken_code_reference,
    mistakes.wrong_type,
    mistakes.out_of_range,
    mistakes.unit_behind_number,
    mistakes.quoted_number,
    mistakes.old_boolean,
    mistakes.fraction,
    mistakes.no_value,
    mistakes.literal_secret,
    mistakes.credential,
    mistakes.broken_env_reference,
    mistakes.swapped_delays,
    mistakes.repeated_item,
    misplaced.missing_key,
    misplaced.dangling_reference,
    misplaced.duplicate_key,
    misplaced.wrong_indent,
    misplaced.block_too_shallow,
    misplaced.tab_for_spaces,
    misplaced.key_too_deep,
    misplaced.key_too_shallow,
    misplaced.key_in_other_block,
    misplaced.no_space_after_colon,
    misplaced.no_colon,
    misplaced.no_space_after_dash,
    misplaced.unclosed_quote,
    misplaced.unclosed_bracket,
    misplaced.no_comma,
    misplaced.list_for_map,
    misplaced.map_for_list,
)


class Outcome(NamedTuple):
    """What was said about one mistake."""

    kind: str
    base: Base
    mutant: Mutant
    findings: tuple[Diagnostic, ...]

    @property
    def detected(self) -> bool:
        """Whether there is an error."""
        return any(found.severity == "error" for found in self.findings)

    @property
    def on_line(self) -> bool:
        """Whether the first finding stands on a line of the mistake."""
        return bool(self.findings) and self.findings[0].span.line in self.mutant.lines

    @property
    def suggested(self) -> bool:
        """Whether the first finding names the word that was meant."""
        if not self.findings or self.mutant.wanted is None:
            return False
        words = (self.findings[0].help or "").replace("`", " ").split(" ")
        return self.mutant.wanted in words


class Share(NamedTuple):
    """How many of how many."""

    hits: int
    of: int

    @property
    def value(self) -> float:
        """The share, 1 for none of none."""
        return self.hits / self.of if self.of else 1.0


class Figures(NamedTuple):
    """The figures of some outcomes."""

    detected: Share
    on_line: Share
    suggested: Share
    findings: Share


def outcomes(count: int, seed: int, folder: Path) -> Iterator[Outcome]:
    """`count` mistakes, evenly of all kinds, each one judged invalid by the oracle; `folder` is an empty one."""
    lay_out(folder)
    random = Random(seed)
    made = 0
    while made < count:
        for kind in KINDS:
            found = _invalid(kind, random)
            if found is None:
                continue
            base, mutant = found
            path = folder / f"m.adk.{base.format}"
            path.write_text(mutant.text, encoding="utf-8")
            yield Outcome(kind.__name__, base, mutant, compile_file(str(path)).diagnostics)
            made += 1
            if made == count:
                return


def figures(some: list[Outcome]) -> Figures:
    """What is measured, over some outcomes."""
    misspelt = [each for each in some if each.mutant.wanted is not None]
    return Figures(
        detected=Share(sum(each.detected for each in some), len(some)),
        on_line=Share(sum(each.on_line for each in some), len(some)),
        suggested=Share(sum(each.suggested for each in misspelt), len(misspelt)),
        findings=Share(sum(len(each.findings) for each in some), len(some)),
    )


def table(every: list[Outcome]) -> str:
    """A line for each kind, and one for all."""
    lines = [f"{'kind':<24}{'made':>6}{'detected':>10}{'on line':>10}{'suggested':>11}{'findings':>10}"]
    for name in [*(kind.__name__ for kind in KINDS), "all"]:
        some = [each for each in every if name in (each.kind, "all")]
        values = figures(some)
        suggested = f"{values.suggested.value:.1%}" if values.suggested.of else ""
        lines.append(
            f"{name:<24}{len(some):>6}{values.detected.value:>10.1%}{values.on_line.value:>10.1%}"
            f"{suggested:>11}{values.findings.value:>10.3f}"
        )
    return "\n".join(lines)


def _invalid(kind: Maker, random: Random) -> tuple[Base, Mutant] | None:
    """One mistake of a kind that the oracle calls invalid; None when several attempts gave none."""
    for _ in range(20):
        base = random.choice(bases())
        mutant = kind(source(base), random)
        if mutant is not None and oracle.reason(mutant.text, base.format) is not None:
            return base, mutant
    return None


def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", default="")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        every = list(outcomes(arguments.count, arguments.seed, Path(folder)))
    print(table(every))
    for each in every:
        if arguments.show in (each.kind, "all") and not _is_good(each):
            print(_described(each))


def _is_good(each: Outcome) -> bool:
    return each.detected and each.on_line and len(each.findings) == 1 and (each.suggested or each.mutant.wanted is None)


def _described(each: Outcome) -> str:
    lines = each.mutant.text.split("\n")
    said = [f"    {f.code} {f.span.line}:{f.span.column} {f.message} | {f.help}" for f in each.findings]
    shown = [f"    {n}| {lines[n - 1]}" for n in sorted(each.mutant.lines) if n <= len(lines)][:4]
    return "\n".join([f"{each.kind} in {each.base.name}, meant {each.mutant.wanted}", *shown, *said])


if __name__ == "__main__":
    _main()
