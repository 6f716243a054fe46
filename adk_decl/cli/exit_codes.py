"""The one table of exit codes. Every command ends with one of these."""

from __future__ import annotations

from adk_decl.plan.record import Record

DONE = 0
FAILED = 1
ANSWER_IS_NO = 2
DEFECT = 70
INTERRUPTED = 130
TERMINATED = 143


class ExitCode(Record):
    """A number, what it means, and when it is used."""

    number: int
    meaning: str
    when: str


EXIT_CODES: tuple[ExitCode, ...] = (
    ExitCode(number=DONE, meaning="done, and the answer is yes", when="nothing is wrong, the run has an answer"),
    ExitCode(
        number=FAILED,
        meaning="could not do it",
        when="bad usage, a manifest with errors (or warnings under `--deny-warnings`), a run that failed",
    ),
    ExitCode(
        number=ANSWER_IS_NO,
        meaning="done, and the answer is no",
        when="a run halted by a plugin, a check that says no",
    ),
    ExitCode(
        number=DEFECT,
        meaning="a defect in adk-decl",
        when="an error that adk-decl did not foresee: one line on stderr and a log file",
    ),
    ExitCode(number=INTERRUPTED, meaning="interrupted", when="Ctrl-C"),
    ExitCode(number=TERMINATED, meaning="terminated", when="the signal TERM"),
)
"""All exit codes, ascending."""
