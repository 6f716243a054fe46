"""From a manifest to a frozen plan: the passes, in order.

Each pass takes what the one before it made, reports what it finds into the bag, and returns its own product; no
pass calls another one. A finding never stops the passes, so that one run shows every mistake. The plan exists
only when there is no error.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from adk_decl.compiler.bound import bind_plugins
from adk_decl.compiler.components import find_components, uses_code
from adk_decl.compiler.configs import check_configs
from adk_decl.compiler.context import Context
from adk_decl.compiler.descriptors import settle_plugins
from adk_decl.compiler.features import refuse_unavailable
from adk_decl.compiler.graph import Graph
from adk_decl.compiler.kinds import OVERLAY, document_kind, has_layers, overlay_alone_refused
from adk_decl.compiler.names import resolve_names
from adk_decl.compiler.policy import check_policy
from adk_decl.compiler.project_files import check_place, code_roots, read_output_schemas
from adk_decl.compiler.secrets import find_secrets
from adk_decl.compiler.shape import check_shape
from adk_decl.compiler.tree import Tree
from adk_decl.compiler.values import read_references
from adk_decl.diagnostics.credentials import without_credentials
from adk_decl.diagnostics.diagnostic import Diagnostic, DiagnosticBag
from adk_decl.plan.model import Plan, freeze_plan
from adk_decl.plan.record import FrozenMap, Record
from adk_decl.syntax.document import Document
from adk_decl.syntax.old_words import warn_old_words
from adk_decl.syntax.read import read_file

if TYPE_CHECKING:
    from adk_decl.compiler.code import Code

_SILENCING = "adk:"
"""In every text with a comment that silences a warning."""


class CompileResult(Record):
    """What a compile found out.

    `file` is the manifest's name in findings. `plan` is None when there is any error. `sources` maps shown file
    names to their texts, for snippets. `kind` is the kind of the document, None when it could not be told.
    """

    file: str
    plan: Plan | None
    diagnostics: tuple[Diagnostic, ...]
    sources: FrozenMap[str]
    kind: str | None


def compile_file(
    path: str,
    *,
    overlays: Sequence[str] = (),
    project_root: str | None = None,
    checks_only: bool = False,
    texts: Mapping[str, bytes] | None = None,
) -> CompileResult:
    """Compile one manifest. Never raises for what a file holds; runs no code of the project and reads no secret.

    `overlays` are files laid over the manifest, in order, after those that it names itself. A file that is an overlay
    itself is checked alone, as far as that goes. `project_root` is the boundary of what may be read; by default the
    nearest folder, from the manifest's up, that holds `pyproject.toml` or `.git`, else the manifest's folder. With
    `checks_only` all findings are made and the plan is not, which takes a sixth less time. `texts` are contents, by
    absolute path, that stand in place of those on the disk, such as what an editor has not saved.
    """
    context = Context(path, project_root=project_root, texts=texts)
    bag = DiagnosticBag()
    data = context.texts.get(context.file)
    document = read_file(context.file, shown=context.shown, bag=bag, sources=context.sources, data=data)
    kind = document_kind(document, bag) if document is not None else None
    plan = None
    if document is not None and kind == OVERLAY:
        _check_overlay(document, bag, checks_only=checks_only)
    elif document is not None and kind is not None:
        check_place(document, context, bag)
        merged = _merge(document, context, overlays, bag)
        plan = _compile(merged, context, bag, checks_only=checks_only) if merged is not None else None
        _silence(merged or document, context, bag, tell_unused=not overlays)
    return CompileResult(
        file=context.shown,
        plan=None if bag.has_errors else plan,
        diagnostics=without_credentials(bag.sorted(), context.sources),
        sources=FrozenMap(context.sources),
        kind=kind,
    )


def _compile(document: Document, context: Context, bag: DiagnosticBag, *, checks_only: bool) -> Plan | None:
    shaped = check_shape(document, bag)
    shaped = refuse_unavailable(shaped, bag)
    tree = read_references(shaped, bag)
    for layer in document.layers:
        find_secrets(layer, bag)
    graph = resolve_names(tree, bag)
    components = find_components(tree, graph, bag)
    roots = code_roots(tree, context, bag)
    code = _resolve_code(tree, graph, context, roots, bag)
    tree, configs = check_configs(tree, graph, components, code, context, bag)
    if bag.has_errors:
        # What an error hides may be the use of what seems unused.
        bag.take(lambda found: found.code == "ADK204")
    output_schemas = read_output_schemas(tree, graph, context, bag)
    bound = bind_plugins(tree, graph, components, code, configs)
    settled = settle_plugins(tree, graph, bound, bag)
    check_policy(tree, graph, settled, bag)
    for layer in document.layers:
        warn_old_words(layer, bag)
    if bag.has_errors or checks_only:
        return None
    # Imported now: `validate` ends before.
    from adk_decl.compiler.lower import Parts, lower
    from adk_decl.compiler.origins import trace_origins

    lowered = lower(Parts(tree, graph, code, configs, settled, output_schemas), context)
    return freeze_plan(
        lowered.body,
        project_root=context.project_root,
        manifest_file=context.file,
        layers=context.layers,
        code_roots=roots,
        origins=trace_origins(tree, lowered.body, lowered.stated),
    )


def _merge(document: Document, context: Context, overlays: Sequence[str], bag: DiagnosticBag) -> Document | None:
    """The layers pass, imported for manifests that have layers."""
    if not has_layers(document, overlays):
        return document
    from adk_decl.compiler.layers import apply_layers

    return apply_layers(document, context, overlays, bag)


def _check_overlay(document: Document, bag: DiagnosticBag, *, checks_only: bool) -> None:
    """What can be said about an overlay without a manifest below it. No plan comes of it, which is an error then."""
    from adk_decl.compiler.layers import overlay_alone

    if not checks_only:
        bag.add(overlay_alone_refused(document))
    alone = overlay_alone(document, bag)
    read_references(refuse_unavailable(check_shape(alone, bag, partial=True), bag), bag)
    find_secrets(document, bag)
    warn_old_words(document, bag)
    if _SILENCING in document.text:
        from adk_decl.compiler.suppressions import silence

        silence(document, bag, tell=True, tell_unused=False)


def _silence(document: Document, context: Context, bag: DiagnosticBag, *, tell_unused: bool) -> None:
    """Comments that silence warnings. Those of other layers are judged where their own file is checked."""
    for layer in document.layers:
        if _SILENCING in layer.text:
            from adk_decl.compiler.suppressions import silence

            own = layer.file == context.shown
            silence(layer, bag, tell=own, tell_unused=own and tell_unused)


def _resolve_code(
    tree: Tree, graph: Graph, context: Context, roots: tuple[str, ...], bag: DiagnosticBag
) -> Code | None:
    """The code pass. Parsing Python costs start-up time, so it is imported for manifests that name code."""
    if not uses_code(tree, graph):
        return None
    from adk_decl.compiler.code import resolve_code
    from adk_decl.compiler.code_reference import References

    return resolve_code(tree, graph, References(context, roots, bag))
