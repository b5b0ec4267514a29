"""Type of settings that are names in the configuration of ClickHouse servers, such as a cluster."""

import re
from typing import Annotated, Final

from pydantic import AfterValidator

_NAME: Final = re.compile(r"\w+")


def _checked(text: str) -> str:
    if not _NAME.fullmatch(text):
        raise ValueError(f"{text!r} is not a name of letters, digits and underscores: choose another one")
    return text


ClickHouseName = Annotated[str, AfterValidator(_checked)]
"""A name of letters, digits and underscores."""
