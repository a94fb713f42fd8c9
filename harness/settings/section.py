"""What every section of the settings is made of."""

from __future__ import annotations

import json
import re
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict


class Section(BaseModel):
    """A section of the settings."""

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True)


def _names(value: Any) -> Any:
    """An environment variable or argument gives names parted by commas."""
    return tuple(name.strip() for name in value.split(",") if name.strip()) if isinstance(value, str) else value


Names = Annotated[tuple[str, ...], BeforeValidator(_names)]
"""A list of names; in the environment parted by commas."""


def _from_json(value: Any) -> Any:
    """An environment variable or argument gives a table as JSON text."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value or "{}")
    except (ValueError, RecursionError) as error:
        raise ValueError(f"expected a JSON object, {error}") from error


FROM_JSON = BeforeValidator(_from_json)
"""A table; in the environment JSON."""


def _name_of_a_variable(value: str) -> str:
    """A secret pasted where its variable's name belongs must not be taken, nor shown."""
    if value and not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]{0,99}", value):
        raise ValueError("this must be the name of an environment variable, not what it holds")
    return value


VariableName = Annotated[str, AfterValidator(_name_of_a_variable)]
"""The name of an environment variable that holds a secret."""
