"""Bases of JSON bodies, which refuse unknown members with few errors, and booleans in place of numbers."""

import re
from typing import Annotated, Final, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationInfo, field_validator, model_validator

from backend.unknown_parameters import NAMED

_SURROGATE: Final = re.compile("[\ud800-\udfff]")


class KnownMembers(BaseModel):
    """Refuses unknown members, so that a misspelt member is not silently ignored.

    pydantic collects one error for each unknown member, which delays other requests by 0.2 s for the largest body. So
    it gets only the first NAMED of them.
    """

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _few_unknown(cls, members: object) -> object:
        if not isinstance(members, dict) or len(members) <= NAMED:
            return members
        left_out = frozenset([name for name in members if name not in cls.model_fields][NAMED:])
        return {name: value for name, value in members.items() if name not in left_out}

    @field_validator("*", mode="before")
    @classmethod
    def _is_not_a_boolean(cls, value: object, info: ValidationInfo) -> object:
        # pydantic reads `true` as the number 1, which could become a retention of one day.
        if isinstance(value, bool) and info.field_name and _is_number(cls.model_fields[info.field_name].annotation):
            raise ValueError("it should be a number, not true or false")
        return value


def _is_number(annotation: object) -> bool:
    """Returns whether a member takes numbers, but neither booleans nor texts."""
    kinds = frozenset(get_args(annotation) or (annotation,))
    return bool(kinds & {int, float}) and not kinds & {bool, str}


def _first_invalid(value: object) -> object:
    """Returns the first invalid member alone, if there is one, so that there is one error."""
    if isinstance(value, dict):
        return next(({name: text} for name, text in value.items() if not isinstance(text, str)), value)
    return value


Texts = Annotated[dict[str, str], BeforeValidator(_first_invalid)]
"""JSON object whose members are texts. An invalid object has one error."""


class StrictBody(KnownMembers):
    """Base of the JSON bodies whose texts are stored: of saved items, tenants, keys, rules and redactions.

    A list in a body needs `fail_fast`. Otherwise pydantic collects one error for each invalid item, which delays other
    requests by a quarter of a second for the largest body. An object of texts needs the type Texts for the same reason.
    """

    @field_validator("*", mode="before")
    @classmethod
    def _is_text(cls, value: object) -> object:
        # JSON can contain escaped halves of surrogate pairs, which UTF-8 cannot represent.
        texts = [*value, *value.values()] if isinstance(value, dict) else value if isinstance(value, list) else [value]
        if any(isinstance(text, str) and _SURROGATE.search(text) for text in texts):
            raise ValueError("it should be text without halves of surrogate pairs")
        return value
