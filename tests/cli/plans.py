"""A plan made by hand, with one of everything that `plan` shows."""

from __future__ import annotations

from adk_decl.plan.model import (
    AgentPlan,
    CodeRef,
    EnvRef,
    EnvText,
    Generation,
    ModelPlan,
    Plan,
    PlanBody,
    PluginDescriptor,
    RetryPlan,
    RunLimits,
    RunnerPlan,
    SecretRef,
    SessionStorePlan,
    ToolPlan,
    freeze_plan,
)
from adk_decl.plan.record import EMPTY_MAP, FrozenMap

DIGEST = "sha256:" + 64 * "0"
"""Instead of the real one, which would change with every new field of a plan."""

HIDDEN = "a text that no picture of a plan may show"


def plugin(name: str, *hooks: str, **changes: object) -> PluginDescriptor:
    """A worker plugin of the project that intervenes in `hooks`."""
    made = PluginDescriptor(
        id=name,
        use=f"python:policy:{name.title()}",
        code=CodeRef(module="policy", attribute=name.title(), file="policy.py", root="."),
        domain="project",
        mode="intervene",
        failure_policy="closed",
        timeout_ms=250,
        max_heap_mib=32,
        max_result_bytes=262_144,
        hooks=hooks,
        config=FrozenMap({"text": HIDDEN}),
    )
    return made.replace(**changes)


def tool(name: str, **changes: object) -> ToolPlan:
    """A worker tool of the project."""
    made = ToolPlan(
        name=name,
        description=HIDDEN,
        code=CodeRef(module="orders.tools", attribute=name, file="orders/tools.py", root="."),
        domain="project",
        parameters=FrozenMap({"type": "object"}),
        parameters_declared=False,
        context_parameter=None,
        is_async=False,
        isolation="worker",
        timeout_ms=5000,
        max_heap_mib=256,
        heap_declared=False,
        max_concurrency=4,
        idempotent=False,
    )
    return made.replace(**changes)


def model(name: str) -> ModelPlan:
    """A model that needs a variable and a secret."""
    return ModelPlan(
        name=name,
        use="openai_chat",
        model=EnvText(parts=(EnvRef(name="DEMO_MODEL", default="small"),)),
        base_url="https://user:password@models.example.com/v1?key=x",
        api_key=SecretRef(source="env", name="DEMO_KEY"),
        timeout_ms=60_000,
        retries=RetryPlan(max_attempts=3, base_delay_ms=250, max_delay_ms=8000),
        max_concurrency=8,
        requests_per_minute=0,
        generation=Generation(),
        tool_calling="native",
        price=None,
    )


def runner(name: str, *plugins: PluginDescriptor, **changes: object) -> RunnerPlan:
    """A runner of agent `support`."""
    made = RunnerPlan(
        name=name,
        agent="support",
        plugins=plugins,
        plugin_order="declared",
        session_store=SessionStorePlan(use="sqlite", path=None),
        limits=RunLimits(
            run_timeout_ms=EnvText(parts=(EnvRef(name="DEMO_TIMEOUT"),), type="integer", minimum=1, maximum=86_400_000),
            max_model_calls=16,
            max_tool_calls=1,
            max_plugin_input_bytes=8 * 2**20,
            notify_timeout_ms=2000,
        ),
        unenforced="refuse",
    )
    return made.replace(**changes)


def plan(*runners: RunnerPlan) -> Plan:
    """A plan with these runners, two tools and one agent with a plugin and a callback of its own."""
    callback = plugin("before_tool", "before_tool", kind="callback", use="python:callbacks:check", timeout_ms=5000)
    agent = AgentPlan(
        name="support",
        description=None,
        model="fast",
        instruction=HIDDEN,
        tools=("lookup_order", "refund"),
        output_schema=FrozenMap({"type": "object"}),
        plugins=(plugin("shield", "after_model", "before_tool"),),
        callbacks=FrozenMap({"before_tool": callback}),
        generation=Generation(),
    )
    body = PlanBody(
        api_version="adk-decl/v1",
        name="demo",
        description=None,
        models=FrozenMap({"fast": model("fast")}),
        tools=FrozenMap(
            {"lookup_order": tool("lookup_order"), "refund": tool("refund", isolation="inline", is_async=True)}
        ),
        agents=FrozenMap({"support": agent}),
        runners=FrozenMap({made.name: made for made in runners}),
    )
    made = freeze_plan(
        body, project_root="/project", manifest_file="demo.adk.yaml", code_roots=(".",), origins=EMPTY_MAP
    )
    return made.replace(digest=DIGEST)
