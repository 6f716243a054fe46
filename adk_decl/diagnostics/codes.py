"""The registry of diagnostic codes. A code has one row, one page in `docs/codes/`, and is never used again.

Ranges: 0xx bytes and syntax, 1xx shape, 2xx names and graph, 3xx environment and secrets, 4xx policy, 5xx layers,
6xx lock and plan, 7xx evaluation and tests, 9xx the tool itself.
"""

from __future__ import annotations

from adk_decl.diagnostics.diagnostic import Severity
from adk_decl.plan.record import FrozenMap, Record


class Code(Record):
    """One kind of finding: its number, its symbolic name, its severity and a title of a few words."""

    code: str
    slug: str
    severity: Severity
    title: str


def _error(code: str, slug: str, title: str) -> Code:
    return Code(code=code, slug=slug, severity="error", title=title)


def _warning(code: str, slug: str, title: str) -> Code:
    return Code(code=code, slug=slug, severity="warning", title=title)


_TABLE = (
    _error("ADK001", "invalid_utf8", "the file is not UTF-8"),
    _error("ADK002", "forbidden_character", "a character that no manifest may hold"),
    _error("ADK003", "tab", "a tab used as white space"),
    _error("ADK004", "syntax", "the text can't be read"),
    _error("ADK005", "multiple_documents", "more than one document in a file"),
    _error("ADK006", "duplicate_key", "a key that stands twice in one map"),
    _error("ADK007", "anchor_or_alias", "anchors, aliases and merge keys"),
    _error("ADK008", "tag", "a type tag"),
    _warning("ADK009", "old_boolean_word", "a word that older YAML reads as a boolean"),
    _error("ADK010", "ambiguous_number", "a number that readers understand differently"),
    _error("ADK012", "non_finite_number", "NaN or an infinite number"),
    _error("ADK013", "number_too_large", "a number beyond 64 bits"),
    _error("ADK014", "invalid_key", "a key that is not plain text"),
    _error("ADK015", "empty_document", "a file without content"),
    _error("ADK016", "reading_limit", "a file beyond a reading limit"),
    _error("ADK017", "directive", "a YAML directive"),
    _warning("ADK018", "comment_cuts_value", "a comment that may cut a value"),
    _error("ADK019", "missing_space", "a colon without a space after it"),
    _error("ADK020", "unreadable_file", "a file that can't be opened"),
    _error("ADK021", "unknown_format", "a file name that says neither YAML, TOML nor JSON"),
    _error("ADK101", "wrong_type", "a value of the wrong type"),
    _error("ADK110", "unknown_field", "a key that the schema does not know"),
    _error("ADK111", "missing_field", "a key that has to be there"),
    _error("ADK112", "empty_value", "a key without a value"),
    _error("ADK120", "invalid_choice", "a value that is none of those allowed"),
    _error("ADK121", "out_of_range", "a number beyond its bounds"),
    _error("ADK122", "invalid_format", "text that does not have the form it needs"),
    _error("ADK123", "invalid_length", "too many or too few characters, items or keys"),
    _error("ADK124", "repeated_item", "an item that stands twice in a list"),
    _error("ADK130", "unknown_kind", "a document of an unknown kind or version"),
    _warning("ADK140", "deprecated_field", "a key that a later version removes"),
    _error("ADK141", "removed_field", "a key that an earlier version had"),
    _error("ADK201", "unknown_component", "a component that does not exist"),
    _error("ADK202", "unknown_reference", "a name that nothing defines"),
    _error("ADK203", "duplicate_plugin_id", "two plugins with one id"),
    _warning("ADK204", "unused_definition", "a definition that nothing uses"),
    _error("ADK206", "code_not_found", "a module that can't be found"),
    _error("ADK207", "attribute_not_found", "an attribute that the module does not define"),
    _error("ADK208", "code_not_allowed", "code that is not the project's own"),
    _error("ADK209", "not_available", "not available in this version"),
    _error("ADK210", "unknown_plugin_hook", "a hook that does not exist"),
    _error("ADK211", "hook_signature", "a hook with the wrong parameters"),
    _error("ADK212", "no_plugin_callbacks", "a plugin without any hook"),
    _error("ADK213", "tool_signature", "a tool whose parameters can't be described"),
    _error("ADK214", "code_syntax", "project code that can't be parsed"),
    _error("ADK215", "code_reference_form", "a code reference that is not python:module:attribute"),
    _error("ADK216", "not_a_plugin", "a plugin that is not a class with the plugin base"),
    _error("ADK217", "referenced_file", "a file named in the manifest that can't be read or understood"),
    _error("ADK218", "component_data", "component data of an installed package that is broken"),
    _error("ADK219", "hook_not_implemented", "a hook that is listed and not implemented"),
    _error("ADK220", "callback_signature", "a callback that is not a function of two parameters"),
    _error("ADK221", "path_outside_project", "a path that leaves the project"),
    _error("ADK301", "inline_secret", "a secret written into the manifest"),
    _error("ADK302", "invalid_reference", "`${` that does not begin a valid reference"),
    _error("ADK303", "reference_not_allowed", "a reference to the environment where none may stand"),
    _error("ADK304", "reference_default", "a default of a reference that does not fit its field"),
    _warning("ADK305", "possible_secret", "a value that looks like a secret"),
    _error("ADK306", "secret_not_allowed", "a secret reference where none may stand"),
    _error("ADK401", "deadlines_exceed_run", "hook deadlines that exceed the run timeout"),
    _error("ADK402", "heap_limit_inline", "a heap limit that inline isolation can't enforce"),
    _warning("ADK403", "guard_open", "a guard that lets calls pass when it fails"),
    _warning("ADK404", "unreachable_plugin", "plugins after an unconditional return"),
    _error("ADK405", "mode_required", "a plugin that does nothing in observe mode"),
    _error("ADK407", "priority_not_allowed", "a priority without priority order"),
    _error("ADK408", "heap_given_twice", "a heap limit in two units"),
    _warning("ADK409", "heap_raised", "a heap limit raised to the least that works"),
    _error("ADK410", "isolation_not_allowed", "isolation that this component does not allow"),
    _error("ADK411", "timeout_exceeds_run", "a timeout longer than the run"),
    _error("ADK412", "insecure_http", "plain HTTP beyond this machine"),
    _warning("ADK413", "nothing_to_run", "a manifest without a runner"),
    _error("ADK414", "delays_reversed", "a first delay longer than the longest"),
    _error("ADK415", "invalid_plugin_config", "a configuration beyond its size limit"),
    _error("ADK416", "plugin_limit", "more plugins than one list may hold"),
    _warning("ADK417", "unstable_component", "a component that may change in any version"),
    _warning("ADK418", "pointless_condition", "a condition of a plugin that never holds, or limits nothing"),
    _error("ADK501", "layer_twice", "a file that is a layer twice"),
    _error("ADK502", "unreadable_layer", "a layer that can't be read"),
    _error("ADK503", "list_without_directive", "a list in two layers without a word on how they meet"),
    _error("ADK504", "delete_of_nothing", "a removal of what is not there"),
    _error("ADK505", "directive_not_allowed", "a merge directive that lies over nothing"),
    _error("ADK506", "invalid_directive", "a merge directive of the wrong form"),
    _error("ADK507", "too_many_layers", "more layers than a manifest may have"),
    _error("ADK508", "overlay_alone", "an overlay where a manifest is needed"),
    _error("ADK509", "nested_overlay", "an overlay that names layers of its own"),
    _error("ADK601", "lock_missing", "a lock file that is not there"),
    _error("ADK602", "lock_of_another_manifest", "a lock file of another manifest"),
    _error("ADK603", "file_drift", "a file that is not as it was locked"),
    _error("ADK604", "schema_drift", "another schema than the one that was locked"),
    _error("ADK605", "plan_drift", "another plan than the one that was locked"),
    _error("ADK606", "component_drift", "a component that is not as it was locked"),
    _error("ADK607", "code_drift", "project code that is not as it was locked"),
    _error("ADK900", "internal", "a defect in adk-decl"),
    _warning("ADK902", "unused_suppression", "a comment that silences nothing"),
    _warning("ADK903", "invalid_suppression", "a comment for adk-decl that can't be understood"),
    _error("ADK910", "layout_changes_meaning", "a file that can't be laid out without saying something else"),
)

CODES: FrozenMap[Code] = FrozenMap({row.code: row for row in _TABLE})
"""All codes by number."""
