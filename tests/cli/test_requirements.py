"""What a plan needs from outside."""

from __future__ import annotations

from pathlib import Path

import pytest

from adk_decl.cli.requirements import requirements, state
from adk_decl.plan.leaves import leaves, pointer
from adk_decl.plan.model import EnvRef, EnvText, Origin, Plan
from adk_decl.plan.record import FrozenMap
from tests.cli.plans import plan, plugin, runner


def with_config(*references: EnvText) -> Plan:
    """A plan with one plugin whose configuration holds these."""
    config = FrozenMap({f"k{index}": text for index, text in enumerate(references)})
    made = plan(runner("desk", plugin("p", "before_run", config=config)))
    origin = Origin(file="m.yaml", line=1, column=1, layer="m.yaml")
    return made.replace(origins=FrozenMap({pointer(steps): origin for steps, _ in leaves(made.body)}))


def test_a_default_inside_config_is_hidden() -> None:
    made = with_config(EnvText(parts=(EnvRef(name="X", default="secret text"),)))
    found = next(each for each in requirements(made) if each.name == "X")
    (use,) = found.uses
    assert (use.default, use.default_hidden, found.required) == (None, True, False)


@pytest.mark.parametrize(
    ("text", "environment", "expected"),
    [
        (EnvText(parts=(EnvRef(name="X"),)), {}, ("missing", None)),
        (EnvText(parts=(EnvRef(name="X"),)), {"X": ""}, ("set", None)),
        (EnvText(parts=(EnvRef(name="X", default="1"),)), {"X": ""}, ("default", None)),
        (EnvText(parts=(EnvRef(name="X", default="1"),), type="integer"), {"X": "7"}, ("set", None)),
        (EnvText(parts=(EnvRef(name="X"),), type="integer", minimum=2), {"X": "1"}, ("unfit", "must be at least 2")),
        (EnvText(parts=(EnvRef(name="X"), EnvRef(name="Y")), type="integer"), {"X": "a"}, ("set", None)),
    ],
)
def test_states(text: EnvText, environment: dict[str, str], expected: tuple[str, str | None], tmp_path: Path) -> None:
    found = next(each for each in requirements(with_config(text)) if each.name == "X")
    assert state(found, environment, str(tmp_path)) == expected
