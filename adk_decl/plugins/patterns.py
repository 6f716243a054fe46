"""Regular expressions from a configuration, for plugin authors: those whose time is bounded.

`x-regex: true` in a `config_schema` makes any other an error of the compiler. `longest_text` says up to which length a
text is matched at all: a guard has to refuse longer ones itself, since `compile_safe` finds nothing in them.
"""

from __future__ import annotations

from adk_decl.regex_safety import compile_safe, longest_text, pattern_problem

__all__ = ["compile_safe", "longest_text", "pattern_problem"]
