"""Process settings: `ADK_DECL_*` in the environment. Names, types, defaults and help, stated once.

`validate`, `--help` and the hook read the few they need through `read_setting`; the pydantic-settings model that
`run` uses is built from the same rows.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Literal

from adk_decl.plan.record import FrozenMap, Record

PREFIX = "ADK_DECL_"


class Setting(Record):
    """One setting: `type` is `path`, `choice`, `boolean` or `integer`; None as default means "decided at run time"."""

    name: str
    type: Literal["path", "choice", "boolean", "integer"]
    default: str | bool | int | None
    choices: tuple[str, ...] = ()
    minimum: int | None = None
    maximum: int | None = None
    help: str


_TABLE = (
    Setting(
        name="state_dir",
        type="path",
        default=None,
        help="folder for sessions and logs; default: the user's state folder",
    ),
    Setting(
        name="log_level",
        type="choice",
        default="warning",
        choices=("debug", "info", "warning", "error"),
        help="least level of log records on stderr",
    ),
    Setting(
        name="color",
        type="choice",
        default="auto",
        choices=("auto", "always", "never"),
        help="colour in the output for a terminal",
    ),
    Setting(
        name="debug",
        type="boolean",
        default=False,
        help="write the traceback of a failing hook or tool to stderr and a local log file, and nowhere else",
    ),
    Setting(
        name="workers",
        type="integer",
        default=2,
        minimum=1,
        maximum=64,
        help="warm worker processes of one trust domain",
    ),
    Setting(
        name="overlays",
        type="path",
        default=None,
        help="files that commands lay over each manifest, before those of `--overlay`; separated as in `PATH`",
    ),
    Setting(
        name="cache",
        type="path",
        default=None,
        help="folder in which `validate` remembers clean manifests, or `off`; default: the user's cache folder",
    ),
)

SETTINGS: FrozenMap[Setting] = FrozenMap({setting.name: setting for setting in _TABLE})
"""All settings by name."""

_TRUE = ("1", "true", "yes", "on")
_FALSE = ("0", "false", "no", "off")


def read_setting(name: str, environment: Mapping[str, str] | None = None) -> str | bool | int | None:
    """The value of one setting. Raises `ValueError` with name and expectation, never with the value."""
    setting = SETTINGS[name]
    text = (os.environ if environment is None else environment).get(PREFIX + name.upper())
    if text is None or text == "":
        return setting.default
    if setting.type == "boolean":
        if text.lower() not in _TRUE + _FALSE:
            raise ValueError(f"{PREFIX}{name.upper()} must be true or false")
        return text.lower() in _TRUE
    if setting.type == "choice":
        if text.lower() not in setting.choices:
            raise ValueError(f"{PREFIX}{name.upper()} must be one of {', '.join(setting.choices)}")
        return text.lower()
    if setting.type == "integer":
        low, high = setting.minimum or 0, setting.maximum or 2**31
        if not text.isdecimal() or len(text) > 9 or not low <= int(text) <= high:
            raise ValueError(f"{PREFIX}{name.upper()} must be a whole number from {low} to {high}")
        return int(text)
    return text


def overlay_setting(environment: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """The paths in `ADK_DECL_OVERLAYS`, in order; empty parts are left out."""
    text = read_setting("overlays", environment)
    return tuple(path for path in text.split(os.pathsep) if path) if isinstance(text, str) else ()


def state_folder(environment: Mapping[str, str] | None = None) -> str:
    """`ADK_DECL_STATE_DIR`, else `$XDG_STATE_HOME/adk-decl`, else `~/.local/state/adk-decl`. Not created here."""
    env = os.environ if environment is None else environment
    chosen = read_setting("state_dir", env)
    if isinstance(chosen, str):
        return os.path.abspath(os.path.expanduser(chosen))
    base = env.get("XDG_STATE_HOME") or os.path.join(os.path.expanduser("~"), ".local", "state")
    return os.path.join(base, "adk-decl")


def cache_folder(environment: Mapping[str, str] | None = None) -> str | None:
    """`ADK_DECL_CACHE`, else `$XDG_CACHE_HOME/adk-decl`, else `~/.cache/adk-decl`. Not created here.

    None when it is `off`, or when there is no home folder.
    """
    env = os.environ if environment is None else environment
    chosen = read_setting("cache", env)
    if isinstance(chosen, str):
        return None if chosen.lower() == "off" else os.path.abspath(os.path.expanduser(chosen))
    base = env.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "adk-decl") if os.path.isabs(base) else None
