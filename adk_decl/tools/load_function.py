"""Imports the function that a tool names."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from typing import Any

from adk_decl.plan.model import CodeRef
from adk_decl.workers.spec import kind_of


class LoadProblem(Exception):
    """A function can't be loaded. `kind` is a symbol; the text a sentence, without the text of another exception.

    The exception that importing raised, if there was one, is the `__cause__`.
    """

    def __init__(self, kind: str, sentence: str) -> None:
        self.kind = kind
        super().__init__(sentence)


def load_function(code: CodeRef, *, project_root: str | None = None) -> Callable[..., Any]:
    """The function at a place in code. With `project_root`, the module must come from the file that the plan names.

    Raises `LoadProblem`.
    """
    shown = f"python:{code.module}:{code.attribute}"
    try:
        module = importlib.import_module(code.module)
    except ModuleNotFoundError as error:
        missing = error.name if error.name and error.name.replace(".", "").isidentifier() else "a module"
        raise LoadProblem(kind_of(error), f"{shown} can't be imported: there is no module {missing}") from error
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # importing runs the author's code, which may raise anything
        kind = kind_of(error)
        raise LoadProblem(kind, f"{shown} can't be imported: importing it raised {kind}") from error
    found = getattr(module, "__file__", None)
    if (
        project_root is not None
        and code.file is not None
        and not _is_file(found, os.path.join(project_root, code.file))
    ):
        raise LoadProblem(
            "module_conflict",
            f"{shown} can't be loaded into this process, which has loaded another module {code.module};"
            " write `isolation: worker`, or rename it",
        )
    target: Any = module
    for part in code.attribute.split("."):
        target = getattr(target, part, None)
    if not callable(target):
        raise LoadProblem("not_a_function", f"{shown} is not a function when its module is imported")
    function: Callable[..., Any] = target
    return function


def _is_file(found: str | None, wanted: str) -> bool:
    return found is not None and os.path.realpath(found) == os.path.realpath(wanted)
