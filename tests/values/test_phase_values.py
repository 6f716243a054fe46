"""The payload of each phase is one that exists, and what may be amended are fields of it."""

from __future__ import annotations

import pytest

from adk_decl.plan.phases import PHASES
from adk_decl.values import PAYLOAD_TYPES
from adk_decl.values.content import Usage


@pytest.mark.parametrize("name", PHASES)
def test_the_phase_table_names_payloads_and_their_fields(name: str) -> None:
    phase = PHASES[name]
    assert phase.value in PAYLOAD_TYPES
    assert set(phase.amendable) <= set(PAYLOAD_TYPES[phase.value].fields)
    assert phase.returns is None or phase.returns in PAYLOAD_TYPES
    assert phase.notification == (phase.returns is None)


def test_usage_adds_up() -> None:
    assert Usage(input_tokens=1, cached_tokens=1) + Usage(input_tokens=2, output_tokens=3) == Usage(
        input_tokens=3, output_tokens=3, cached_tokens=1
    )
