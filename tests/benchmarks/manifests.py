"""Makes manifests to measure with: valid, of a wanted length, the same for the same seed; and hostile ones."""

from __future__ import annotations

import random

_PLUGINS_OF_A_RUNNER = 100
_WORDS = ("answer", "order", "customer", "briefly", "in", "the", "language", "of", "never", "promise", "a", "date")


def manifest(lines: int, *, seed: int = 1) -> str:
    """A valid manifest in YAML of about `lines` lines: models, agents, and plugins that runners use."""
    random_source = random.Random(seed)
    count = max(1, (lines - 30) // 9)
    runners = (count + _PLUGINS_OF_A_RUNNER - 1) // _PLUGINS_OF_A_RUNNER
    parts = [
        "apiVersion: adk-decl/v1\nkind: Manifest",
        f"name: bench-{seed}",
        "description: Made for measuring.\n",
        "models:",
        *(_model(number, random_source) for number in range(runners)),
        "agents:",
        *(_agent(number, random_source) for number in range(runners)),
        "plugins:",
        *(_plugin(number, random_source) for number in range(count)),
        "runners:",
        *(_runner(number, count) for number in range(runners)),
    ]
    return "\n".join(parts) + "\n"


def hostile() -> dict[str, str]:
    """Texts that are made to hurt a reader, by name."""
    bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
    merges = "m0: &m0 {k0: v}\n"
    for level in range(1, 30):
        aliases = ", ".join([f"*a{level - 1}"] * 9)
        bomb += f"a{level}: &a{level} [{aliases}]\n"
        merges += f"m{level}: &m{level}\n  <<: [{', '.join([f'*m{level - 1}'] * 9)}]\n  k{level}: v\n"
    return {
        "alias bomb": bomb,
        "merge bomb": merges,
        "100,000 brackets": "a: " + "[" * 100_000,
        "100,000 braces": "a: " + "{a: " * 25_000,
        "5,000-digit number": "a: " + "9" * 5_000 + "\n",
        "1 MiB line": "a: " + "x" * 1_048_000,
        "200,000 items": "a:\n" + "- 1\n" * 200_000,
        "200,000 flow items": "a:\n" + "  - [" + "1, " * 2000 + "1]\n" * 1 + ("  - [" + "1, " * 2000 + "1]\n") * 100,
    }


def at_the_node_limit() -> str:
    """A document of just under 50,000 nodes that is read to its end."""
    return "x-list:\n" + "- 1\n" * 49_900


def _model(number: int, random_source: random.Random) -> str:
    return (
        f"  model-{number}:\n"
        f"    use: openai_chat\n"
        f"    model: ${{env:MODEL_{number}:-small}}\n"
        f"    base_url: https://models.example.com/v1\n"
        f"    api_key: {{secret: {{env: MODEL_KEY_{number}}}}}\n"
        f"    timeout_ms: {random_source.randrange(10, 60) * 1000}\n"
        f"    retries: {{max_attempts: {random_source.randrange(1, 5)}, base_delay_ms: 100, max_delay_ms: 2000}}"
    )


def _agent(number: int, random_source: random.Random) -> str:
    return (
        f"  agent-{number}:\n"
        f"    model: model-{number}\n"
        f"    instruction: {_sentence(random_source)}\n"
        f"    generation: {{temperature: 0.{random_source.randrange(1, 9)}, max_output_tokens: 400}}"
    )


def _plugin(number: int, random_source: random.Random) -> str:
    return (
        f"  plugin-{number}:\n"
        f"    use: global_instruction\n"
        f"    mode: intervene\n"
        f"    failure_policy: {random_source.choice(('open', 'closed'))}\n"
        f"    timeout_ms: {random_source.randrange(10, 100)}\n"
        f"    max_heap_mib: {random_source.choice((16, 32, 64))}\n"
        f"    max_result_bytes: 65536\n"
        f"    config:\n"
        f"      instruction: {_sentence(random_source)}"
    )


def _runner(number: int, plugins: int) -> str:
    first = number * _PLUGINS_OF_A_RUNNER
    names = [f"plugin-{i}" for i in range(first, min(plugins, first + _PLUGINS_OF_A_RUNNER))]
    rows = [", ".join(names[i : i + 10]) for i in range(0, len(names), 10)]
    listed = ",\n      ".join(rows)
    return (
        f"  runner-{number}:\n"
        f"    agent: agent-{number}\n"
        f"    plugins: [\n      {listed}]\n"
        f"    limits: {{run_timeout_ms: 60000, max_model_calls: 16}}"
    )


def _sentence(random_source: random.Random) -> str:
    return " ".join(random_source.choice(_WORDS) for _ in range(8)).capitalize()
