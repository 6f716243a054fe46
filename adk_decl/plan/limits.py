"""Every limit there is: its default, bounds and unit, stated once.

The manifest schema repeats the numbers for editors; a test compares both. Code takes them from here.
"""

from __future__ import annotations

from adk_decl.plan.record import FrozenMap, Record


class Limit(Record):
    """A whole number with a unit, a default and inclusive bounds."""

    name: str
    default: int
    minimum: int
    maximum: int
    unit: str
    summary: str


MIB = 1024 * 1024
KIB = 1024


def _limit(name: str, default: int, minimum: int, maximum: int, unit: str, summary: str) -> Limit:
    return Limit(name=name, default=default, minimum=minimum, maximum=maximum, unit=unit, summary=summary)


_TABLE = (
    # Plugins (DECISIONS: limits of a descriptor)
    _limit("plugin.timeout_ms", 1000, 1, 120_000, "ms", "time of one hook"),
    _limit("plugin.max_heap_mib", 64, 4, 4096, "MiB", "memory of one hook above what is in use when it starts"),
    _limit("plugin.max_heap_words", 8 * MIB, 1000, 512 * MIB, "words of 8 bytes", "the same in words"),
    _limit("plugin.max_result_bytes", 256 * KIB, 1, 16 * MIB, "bytes", "what one hook sends back"),
    _limit("plugin.priority", 0, -(2**31), 2**31 - 1, "", "order under plugin_order: priority"),
    _limit("plugin.config_bytes", MIB, 0, MIB, "bytes", "canonical JSON of one config"),
    _limit("plugin.id_bytes", 256, 1, 256, "bytes", "UTF-8 length of a plugin id"),
    _limit("plugin.list_length", 128, 0, 128, "plugins", "plugins in one list"),
    _limit("plugin.result_depth", 64, 64, 64, "levels", "nesting of a result"),
    _limit("plugin.log_records", 32, 32, 32, "records", "log records of one hook call"),
    _limit("plugin.log_record_bytes", 1024, 1024, 1024, "bytes", "one log record"),
    _limit("plugin.halt_reason_bytes", 1024, 1024, 1024, "bytes", "reason of a halt"),
    _limit(
        "plugin.changed_paths", 32, 32, 32, "paths", "paths of changed fields in one trace entry of a plugin in shadow"
    ),
    _limit("plugin.changed_path_characters", 64, 64, 64, "characters", "name of an argument in such a path"),
    _limit("plugin.close_timeout_ms", 1000, 1, 30_000, "ms", "time of on_close"),
    _limit("plugin.cancel_grace_ms", 100, 100, 100, "ms", "time in which tasks that a hook left behind must end"),
    _limit("breaker.failures", 5, 1, 1000, "failures", "failures within the window that switch a plugin off"),
    _limit("breaker.window_ms", 60_000, 1, 3_600_000, "ms", "window in which failures of a plugin count"),
    _limit(
        "breaker.cooldown_ms", 60_000, 1, 3_600_000, "ms", "time until a plugin that was switched off is tried again"
    ),
    _limit("callback.timeout_ms", 5000, 1, 120_000, "ms", "time of one local callback"),
    _limit("callback.max_heap_mib", 32, 4, 4096, "MiB", "memory of one local callback"),
    _limit("callback.max_result_bytes", 256 * KIB, 1, 16 * MIB, "bytes", "what one local callback sends back"),
    # Runs
    _limit("run.run_timeout_ms", 120_000, 1, 86_400_000, "ms", "one run, plugins included"),
    _limit("run.max_model_calls", 32, 1, 10_000, "calls", "model calls of one run"),
    _limit("run.max_tool_calls", 128, 0, 100_000, "calls", "tool calls of one run"),
    _limit("run.max_plugin_input_bytes", 8 * MIB, KIB, 64 * MIB, "bytes", "what is sent to a plugin"),
    _limit("run.notify_timeout_ms", 2000, 1, 60_000, "ms", "all notifications after a cancelled or timed out run"),
    _limit("run.parallel_tools", 4, 4, 4, "calls", "tool calls of one model response that run at once"),
    _limit("run.event_queue", 256, 256, 256, "events", "events stored but not yet taken by the caller"),
    _limit("run.abandon_ms", 500, 500, 500, "ms", "what a task that swallows its cancellation may delay the end"),
    _limit("run.trace_records", 10_000, 10_000, 10_000, "records", "phases kept in a run's result"),
    _limit("debug.log_bytes", 16 * MIB, 16 * MIB, 16 * MIB, "bytes", "the local log file of one process under debug"),
    _limit("run.message_bytes", MIB, 1, MIB, "bytes", "the message of the user"),
    # Tools
    _limit("tool.timeout_ms", 30_000, 1, 3_600_000, "ms", "one tool call"),
    _limit("tool.max_heap_mib", 256, 4, 4096, "MiB", "memory of one tool call above what is in use when it starts"),
    _limit("tool.max_result_bytes", MIB, MIB, MIB, "bytes", "what one tool call returns"),
    _limit("tool.max_concurrency", 4, 1, 64, "calls", "calls of one tool at once"),
    _limit("tool.argument_problems", 10, 10, 10, "problems", "problems of arguments that the model is told of"),
    _limit("tool.cancel_grace_ms", 100, 100, 100, "ms", "time in which a cancelled inline tool must end"),
    # Sessions
    _limit("session.event_bytes", 16 * MIB, 16 * MIB, 16 * MIB, "bytes", "one stored event"),
    _limit("session.events", 100_000, 100_000, 100_000, "events", "events of one session"),
    _limit("session.bytes", 256 * MIB, 256 * MIB, 256 * MIB, "bytes", "all events of one session"),
    _limit("session.key_bytes", 1024, 1, 1024, "bytes", "UTF-8 length of an application, user or session id"),
    _limit("session.sessions_in_memory", 10_000, 10_000, 10_000, "sessions", "sessions that the memory store keeps"),
    _limit(
        "session.bytes_in_memory", 1024 * MIB, 1024 * MIB, 1024 * MIB, "bytes", "events that the memory store keeps"
    ),
    _limit("session.queue", 1024, 1024, 1024, "requests", "requests that wait for the SQLite store"),
    _limit("session.batch", 64, 64, 64, "requests", "writes that share one transaction of the SQLite store"),
    _limit("session.busy_timeout_ms", 5000, 5000, 5000, "ms", "wait for a lock that another process holds"),
    _limit("session.close_timeout_ms", 10_000, 10_000, 10_000, "ms", "wait for accepted writes when a store closes"),
    _limit("session.lease_ttl_ms", 30_000, 100, 3_600_000, "ms", "time after which the lease of a dead process ends"),
    # Secrets
    _limit("secret.bytes", 64 * KIB, 64 * KIB, 64 * KIB, "bytes", "one secret"),
    # Models
    _limit("model.timeout_ms", 60_000, 1, 3_600_000, "ms", "one model call, retries included"),
    _limit("model.max_attempts", 3, 1, 10, "attempts", "attempts of one model call"),
    _limit("model.base_delay_ms", 250, 0, 60_000, "ms", "first delay between attempts"),
    _limit("model.max_delay_ms", 8000, 0, 600_000, "ms", "longest delay between attempts"),
    _limit("model.max_concurrency", 8, 1, 1024, "calls", "calls of one model at once"),
    _limit("model.requests_per_minute", 0, 0, 1_000_000, "calls", "0 means no limit"),
    _limit("model.response_bytes", 8 * MIB, 8 * MIB, 8 * MIB, "bytes", "body of one response"),
    _limit("model.tool_calls", 128, 128, 128, "calls", "tool calls of one response"),
    _limit("model.argument_depth", 64, 64, 64, "levels", "nesting of the arguments of one tool call"),
    _limit("model.load_timeout_ms", 120_000, 120_000, 120_000, "ms", "loading an embedded model"),
    _limit("llama_cpp.context_tokens", 4096, 256, 1_048_576, "tokens", "context of an embedded model, answer included"),
    _limit("llama_cpp.threads", 0, 0, 1024, "threads", "0 means one per core but one"),
    # HTTP
    _limit("http.connect_timeout_ms", 10_000, 10_000, 10_000, "ms", "one attempt to connect"),
    _limit("http.header_bytes", 64 * KIB, 64 * KIB, 64 * KIB, "bytes", "all headers of one response"),
    _limit("http.error_body_bytes", 64 * KIB, 64 * KIB, 64 * KIB, "bytes", "what is read of an error's body"),
    _limit("http.event_bytes", MIB, MIB, MIB, "bytes", "one server-sent event, and one line of it"),
    # Workers
    _limit("workers.per_domain", 2, 1, 64, "processes", "warm workers of one trust domain"),
    _limit("workers.spare", 1, 1, 1, "processes", "workers held ready to replace a killed one"),
    _limit("workers.queue_wait_ms", 5000, 5000, 5000, "ms", "wait of a hook for a free worker"),
    _limit("workers.queue", 1024, 1024, 1024, "calls", "calls that wait for a worker"),
    _limit("workers.start_timeout_ms", 10_000, 10_000, 10_000, "ms", "start of a domain and of a worker"),
    _limit("workers.calls_before_recycle", 1000, 1000, 1000, "calls", "calls after which a worker is replaced"),
    _limit("workers.close_timeout_ms", 3000, 3000, 3000, "ms", "closing a pool before what is left is killed"),
    _limit("workers.restart_delay_ms", 50, 50, 5000, "ms", "pause before a domain starts again, doubled each time"),
    _limit("workers.failed_starts", 5, 5, 5, "starts", "failed starts in a row after which waiting calls fail"),
    _limit("workers.steps", 512, 1, 512, "steps", "steps of one call"),
    _limit("workers.checkpoint_bytes", MIB, MIB, MIB, "bytes", "one checkpoint"),
    _limit("workers.frame_bytes", 256 * MIB, 256 * MIB, 256 * MIB, "bytes", "one request"),
    _limit("workers.address_space_mib", 256, 256, 256, "MiB", "address space of a step above its memory"),
    _limit("workers.file_bytes", 1024 * MIB, 1024 * MIB, 1024 * MIB, "bytes", "one file that a worker writes"),
    _limit("workers.warm_calls", 16, 16, 16, "calls", "calls in which a worker may load what it keeps"),
    _limit("workers.drift_mib", 8, 8, 8, "MiB", "growth between calls after which a worker is replaced"),
    _limit("workers.thread_stack_kib", 1024, 1024, 1024, "KiB", "stack of a thread that a worker starts"),
    # JSON Schemas of tools, answers and components
    _limit("schema.problems", 100, 100, 100, "problems", "problems that one check of plain data lists"),
    _limit("schema.pattern_characters", 1000, 1000, 1000, "characters", "one `pattern` of a schema"),
    _limit("schema.pattern_text_characters", 8192, 8192, 8192, "characters", "text that a `pattern` is matched with"),
    _limit("components.file_bytes", 4 * MIB, 4 * MIB, 4 * MIB, "bytes", "component data of one installed package"),
    # Lock files
    _limit("lock.package_modules", 10_000, 10_000, 10_000, "files", "modules of one installed package in its digest"),
    _limit("lock.module_bytes", 16 * MIB, 16 * MIB, 16 * MIB, "bytes", "one module of an installed package"),
    # Doctor
    _limit("doctor.check_timeout_ms", 10_000, 10_000, 10_000, "ms", "an answer that `doctor` waits for"),
    _limit("doctor.lock_timeout_ms", 1000, 1000, 1000, "ms", "wait of `doctor` for a session store in use"),
    # Reading
    _limit("read.manifest_bytes", MIB, MIB, MIB, "bytes", "one manifest"),
    _limit("read.depth", 64, 64, 64, "levels", "nesting of one manifest"),
    _limit("read.nodes", 50_000, 50_000, 50_000, "nodes", "keys, values and containers of one manifest"),
    _limit("layers.files", 32, 32, 32, "files", "layers of one manifest, itself included"),
    _limit("read.line_characters", 8192, 8192, 8192, "characters", "one line of a manifest"),
    _limit("read.syntax_findings", 200, 200, 200, "findings", "findings after which a file is not read further"),
    _limit("read.source_bytes", MIB, MIB, MIB, "bytes", "one file of project code"),
    _limit("cache.entries", 4096, 4096, 4096, "files", "manifests that the cache of `validate` remembers"),
    _limit("cache.entry_bytes", 256 * KIB, 256 * KIB, 256 * KIB, "bytes", "what it keeps about one manifest"),
    _limit("editor.rest_ms", 150, 150, 150, "ms", "time without a change after which an edited text is checked"),
    _limit("read.findings_shown", 50, 50, 50, "findings", "findings shown per file by text and concise"),
    _limit("fix.rounds", 64, 64, 64, "rounds", "how often a file is read again while it is mended"),
    _limit("fix.attempts", 256, 256, 256, "readings", "readings of one file while it is mended"),
)

LIMITS: FrozenMap[Limit] = FrozenMap({limit.name: limit for limit in _TABLE})
"""All limits by name."""
