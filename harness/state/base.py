"""What every stored model shares."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Frozen(BaseModel):
    """A validated, immutable record. Collections are tuples, so that freezing is not only skin-deep."""

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="constants", validate_default=False)
