"""JSON Schema for plugin authors: the validator that checks arguments of tools and structured answers.

Nothing is fetched and no pattern takes long. The package behind it is imported when the first schema is built.
"""

from __future__ import annotations

from adk_decl.json_schema import Problem, UnusableSchema, validator

__all__ = ["Problem", "UnusableSchema", "validator"]
