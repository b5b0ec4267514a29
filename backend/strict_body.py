"""Base of the JSON bodies by which users save items."""

import re
from typing import Final

from pydantic import BaseModel, ConfigDict, field_validator

_SURROGATE: Final = re.compile("[\ud800-\udfff]")


class StrictBody(BaseModel):
    """Refuses unknown members, so that a misspelt member is not silently ignored.

    A list in a body needs `fail_fast`. Otherwise pydantic collects one error for each invalid item, which delays other
    requests by a quarter of a second for the largest body.
    """

    model_config = ConfigDict(extra="forbid")

    @field_validator("*", mode="before")
    @classmethod
    def _is_text(cls, value: object) -> object:
        # JSON can contain escaped halves of surrogate pairs, which UTF-8 cannot represent.
        texts = [*value, *value.values()] if isinstance(value, dict) else value if isinstance(value, list) else [value]
        if any(isinstance(text, str) and _SURROGATE.search(text) for text in texts):
            raise ValueError("it should be text without halves of surrogate pairs")
        return value
