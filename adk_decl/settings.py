"""Process settings for `run`, read from `ADK_DECL_*`: the table `plan/settings_table.py` as a pydantic-settings model.

The only module that imports pydantic and pydantic-settings.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field, ValidationError, field_validator
from pydantic_core.core_schema import ValidationInfo
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from adk_decl.errors import UsageError
from adk_decl.plan.settings_table import PREFIX, SETTINGS, read_setting


def _from_table(name: str) -> Any:
    row = SETTINGS[name]
    return Field(default=row.default, description=row.help, ge=row.minimum, le=row.maximum)


class Settings(BaseSettings):
    """The settings of this process, frozen. What each means stands in `adk_decl.plan.settings_table`."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_ignore_empty=True, extra="ignore", frozen=True, hide_input_in_errors=True
    )

    state_dir: str | None = _from_table("state_dir")
    log_level: Literal["debug", "info", "warning", "error"] = _from_table("log_level")
    color: Literal["auto", "always", "never"] = _from_table("color")
    debug: bool = _from_table("debug")
    workers: int = _from_table("workers")
    overlays: str | None = _from_table("overlays")
    cache: str | None = _from_table("cache")

    @field_validator("*", mode="before")
    @classmethod
    def _read_by_the_table(cls, value: Any, info: ValidationInfo) -> Any:
        """Text is read as `validate` reads it, so that both sides agree on every spelling."""
        if not isinstance(value, str):
            return value
        assert info.field_name is not None
        return read_setting(info.field_name, {PREFIX + info.field_name.upper(): value})

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """The environment alone: no dotenv files, which would be read from wherever the process starts."""
        return (init_settings, env_settings)


def load_settings(environment: Mapping[str, str] | None = None) -> Settings:
    """The settings in `environment`, by default that of the process.

    Raises `UsageError` that names every setting that is wrong and what it must be, never its value.
    """
    given = os.environ if environment is None else environment
    chosen: dict[str, Any] = {n: given.get(PREFIX + n.upper()) or row.default for n, row in SETTINGS.items()}
    try:
        return Settings(**chosen)
    except ValidationError as error:
        problems = [_problem(dict(entry)) for entry in error.errors(include_input=False, include_url=False)]
    raise UsageError("\n".join(problems))


def _problem(entry: dict[str, Any]) -> str:
    cause = entry.get("ctx", {}).get("error")
    name = PREFIX + str(entry["loc"][0]).upper()
    return str(cause) if isinstance(cause, ValueError) else f"{name} is not valid"
