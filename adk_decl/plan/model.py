"""What will run: the frozen plan and its parts.

A plan holds no unresolved name, no default and no secret value. References to the environment and secrets
stay typed references (`EnvText`, `SecretRef`) until a runner is built.
"""

from __future__ import annotations

from typing import Any, Literal

from adk_decl.plan.canonical import canonical_json, digest
from adk_decl.plan.frozen_json import FrozenJson
from adk_decl.plan.record import EMPTY_MAP, FrozenMap, Record

PLAN_FORMAT = 1

Mode = Literal["observe", "intervene", "shadow"]
FailurePolicy = Literal["open", "closed"]
Isolation = Literal["worker", "inline"]
PluginOrder = Literal["declared", "priority"]
ValueType = Literal["string", "integer", "number", "boolean"]


class EnvRef(Record):
    """`${env:NAME}` or `${env:NAME:-default}`. `default` is None when there is none."""

    name: str
    default: str | None = None


class EnvText(Record):
    """A value that needs the environment: literal text and references in order, the type of the field, its bounds.

    With `type` other than `string`, or when the field is a whole reference, the joined text is converted by
    `adk_decl.scalars` within `minimum`, `maximum` and `choices`.
    """

    parts: tuple[str | EnvRef, ...]
    type: ValueType = "string"
    minimum: int | float | None = None
    maximum: int | float | None = None
    choices: tuple[str, ...] | None = None

    def canonical_json(self) -> dict[str, Any]:
        """A map under the single key `$env`, so that no literal can be mistaken for it."""
        return {
            "$env": {
                "parts": self.parts,
                "type": self.type,
                "minimum": self.minimum,
                "maximum": self.maximum,
                "choices": self.choices,
            }
        }


class SecretRef(Record):
    """Where a secret is read when a runner is built: `source` is `env` or `file`, `name` its name or path."""

    source: Literal["env", "file"]
    name: str

    def canonical_json(self) -> dict[str, Any]:
        """A map under the single key `$secret`."""
        return {"$secret": {"source": self.source, "name": self.name}}


class CodeRef(Record):
    """A place in code: `module` and `attribute`, and for project code its file relative to the project root.

    `root` is the folder, relative to the project root, that has to be importable for `module` to be found.
    """

    module: str
    attribute: str
    file: str | None = None
    root: str | None = None


class When(Record):
    """For which agents, models and tools a plugin runs, by name and sorted; None does not restrict it.

    `agents` counts in every phase inside an agent, `models` in the phases of a model call, `tools` in those of a tool
    call. The phases of a run and of its events belong to no agent, and no condition holds a plugin off there.
    """

    agents: tuple[str, ...] | None = None
    tools: tuple[str, ...] | None = None
    models: tuple[str, ...] | None = None


class Breaker(Record):
    """When a plugin is switched off: after `failures` within `window_ms`. After `cooldown_ms` one call is tried."""

    failures: int
    window_ms: int
    cooldown_ms: int


class PluginDescriptor(Record):
    """One plugin (or local callback) with every limit made explicit.

    `domain` is its trust domain: its origin (`builtin`, `dist:<distribution>` or `project`), or, for a domain named
    in the manifest, `domain:<name>@<origin>`: a name splits an origin further and never joins two. `hooks` are the
    phases it serves. `kind` is `callback` for a local callback: then `code` names a function `(ctx, value)`, and
    `hooks` has exactly one phase.
    """

    id: str
    use: str
    kind: Literal["plugin", "callback"] = "plugin"
    code: CodeRef
    domain: str
    mode: Mode
    failure_policy: FailurePolicy
    timeout_ms: int
    max_heap_mib: int
    max_result_bytes: int
    hooks: tuple[str, ...]
    guard: bool = False
    """Whether it screens tool calls again that a later plugin amended."""
    priority: int = 0
    isolation: Isolation = "worker"
    heap_declared: bool = False
    """Whether the manifest itself states the heap limit: on a system that can't enforce it, that refuses the run."""
    config: FrozenMap[FrozenJson] = EMPTY_MAP
    when: When | None = None
    breaker: Breaker | None = None

    @property
    def ends_on_failure(self) -> bool:
        """Whether a failure ends the phase: under `closed`, but not in shadow, where nothing has an effect."""
        return self.failure_policy == "closed" and self.mode != "shadow"


class RetryPlan(Record):
    """Attempts of one model call and the delays between them."""

    max_attempts: int
    base_delay_ms: int
    max_delay_ms: int


class Generation(Record):
    """Sampling settings; None leaves the choice to the model."""

    temperature: float | EnvText | None = None
    top_p: float | EnvText | None = None
    max_output_tokens: int | EnvText | None = None
    stop: tuple[str, ...] = ()
    seed: int | EnvText | None = None


class Price(Record):
    """Money for one million tokens of each kind."""

    input: float
    output: float
    cached: float
    currency: str


class ModelPlan(Record):
    """One declared model."""

    name: str
    use: str
    model: str | EnvText | None
    base_url: str | EnvText | None
    api_key: SecretRef | None
    timeout_ms: int | EnvText
    retries: RetryPlan
    max_concurrency: int | EnvText
    requests_per_minute: int | EnvText
    generation: Generation
    tool_calling: Literal["native", "json_schema"]
    price: Price | None
    config: FrozenMap[FrozenJson] = EMPTY_MAP


class ToolPlan(Record):
    """One declared tool: a function of the project.

    `parameters` is the JSON Schema of its arguments, the only one used. `context_parameter` names the
    parameter that receives the `ToolContext`, or is None.
    """

    name: str
    description: str
    code: CodeRef
    domain: str
    parameters: FrozenMap[FrozenJson]
    parameters_declared: bool
    context_parameter: str | None
    is_async: bool
    isolation: Isolation
    timeout_ms: int
    max_heap_mib: int
    heap_declared: bool
    max_concurrency: int
    idempotent: bool
    config: FrozenMap[FrozenJson] = EMPTY_MAP


class AgentPlan(Record):
    """One declared agent. `model` and `tools` are names in the same plan."""

    name: str
    description: str | None
    model: str
    instruction: str | EnvText | None
    tools: tuple[str, ...]
    output_schema: FrozenMap[FrozenJson] | None
    plugins: tuple[PluginDescriptor, ...]
    callbacks: FrozenMap[PluginDescriptor]
    generation: Generation


class RunLimits(Record):
    """Bounds of one run."""

    run_timeout_ms: int | EnvText
    max_model_calls: int | EnvText
    max_tool_calls: int | EnvText
    max_plugin_input_bytes: int
    notify_timeout_ms: int


class SessionStorePlan(Record):
    """Where sessions live. `path` is None when the store has none or takes the default place."""

    use: str
    path: str | EnvText | None
    config: FrozenMap[FrozenJson] = EMPTY_MAP


class CallbackLimits(Record):
    """Limits of the local callbacks of a runner's agent."""

    failure_policy: FailurePolicy
    timeout_ms: int
    max_heap_mib: int
    max_result_bytes: int
    heap_declared: bool


class RunnerPlan(Record):
    """One declared runner.

    `local_callbacks` replaces the limits that the agent's callbacks have of their own; None leaves them.
    """

    name: str
    agent: str
    plugins: tuple[PluginDescriptor, ...]
    plugin_order: PluginOrder
    session_store: SessionStorePlan
    limits: RunLimits
    unenforced: Literal["refuse", "warn"]
    local_callbacks: CallbackLimits | None = None


class Origin(Record):
    """Where a value of the plan was stated: a file with line and column (from 1), or a default of `layer`.

    `layer` is the name of the file without its folder, or what has the default: `default`, `component`, `code` and
    others. `replaced` is what lower layers state in the same place.
    """

    file: str | None
    line: int
    column: int
    layer: str
    replaced: Replaced | None = None


class Replaced(Record):
    """A value that a higher layer took the place of. A value is not kept where a secret belongs: `hidden` says so."""

    value: FrozenJson
    hidden: bool
    origin: Origin


class PlanBody(Record):
    """Everything that counts in the digest."""

    plan_format: int = PLAN_FORMAT
    api_version: str
    name: str
    description: str | None
    models: FrozenMap[ModelPlan]
    tools: FrozenMap[ToolPlan]
    agents: FrozenMap[AgentPlan]
    runners: FrozenMap[RunnerPlan]


class Plan(Record):
    """A compiled manifest, deeply immutable.

    `digest` is the sha256 of `canonical_json()`; it depends neither on the machine, nor on paths above the
    project root, nor on the environment, nor on comments. `project_root`, `manifest_file`, `origins`, `layers`
    (absolute paths of the files that the manifest is made of, the one that gives way first) and `code_roots` stand
    outside digest and equality.
    """

    body: PlanBody
    digest: str
    project_root: str
    manifest_file: str
    code_roots: tuple[str, ...]
    origins: FrozenMap[Origin]
    layers: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """Name and digest: a plan holds instructions and configuration, which belong in no log."""
        return f"<Plan {self.body.name} {self.digest}>"

    @property
    def name(self) -> str:
        """Name of the manifest."""
        return self.body.name

    @property
    def models(self) -> FrozenMap[ModelPlan]:
        """Declared models by name."""
        return self.body.models

    @property
    def tools(self) -> FrozenMap[ToolPlan]:
        """Declared tools by name."""
        return self.body.tools

    @property
    def agents(self) -> FrozenMap[AgentPlan]:
        """Declared agents by name."""
        return self.body.agents

    @property
    def runners(self) -> FrozenMap[RunnerPlan]:
        """Declared runners by name."""
        return self.body.runners

    def canonical_json(self) -> dict[str, Any]:
        """What canonical JSON shows of a plan: its body."""
        return {name: getattr(self.body, name) for name in self.body._fields}

    def to_json(self) -> bytes:
        """Canonical JSON, the input of the digest."""
        return canonical_json(self.body)

    def verify(self) -> bool:
        """Whether the digest still is that of the body."""
        return digest(self.to_json()) == self.digest

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Plan) and other.body == self.body

    def __hash__(self) -> int:
        return hash(self.digest)


def freeze_plan(
    body: PlanBody,
    *,
    project_root: str,
    manifest_file: str,
    code_roots: tuple[str, ...],
    origins: FrozenMap[Origin],
    layers: tuple[str, ...] = (),
) -> Plan:
    """A plan with its digest computed."""
    return Plan(
        body=body,
        digest=digest(canonical_json(body)),
        project_root=project_root,
        manifest_file=manifest_file,
        code_roots=code_roots,
        origins=origins,
        layers=layers,
    )
