"""Trust domains: code of different domains never shares a process.

A domain is an origin — `builtin`, `dist:<distribution>` or `project` — or a part of one, written `<part>@<origin>`:
`domain:<name>@<origin>` for a name that the manifest gives, and the project's tools, so that a tool that takes its
time never keeps a plugin waiting.
"""

from __future__ import annotations

BUILTIN = "builtin"
PROJECT = "project"
PROJECT_TOOLS = "tools@project"


def named(name: str, origin: str) -> str:
    """The domain that a manifest names. It splits an origin further and never joins two."""
    return f"domain:{name}@{origin}"


def origin_of(domain: str) -> str:
    """The origin that a domain is, or is a part of."""
    return domain.rpartition("@")[2]
