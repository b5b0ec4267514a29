"""Bounds of the values of tenants and keys, and the form in which limits are stored."""

from collections.abc import Mapping
from typing import Final

from kit.errors import InvalidRequest
from schema.control.limits import NO_LIMIT

MAX_BODY_BYTES: Final = 65_536
MAX_SEARCHES: Final = 100_000
_LABEL_LENGTH: Final = 100


def check_body(size: int) -> None:
    """Raises InvalidRequest for a longest body, in bytes, that is out of bounds."""
    if not 1 <= size <= MAX_BODY_BYTES:
        raise InvalidRequest(f"the longest body kept is {size} bytes; it must be 1 to {MAX_BODY_BYTES} bytes")


def check_limits(limits: Mapping[str, int | None]) -> None:
    """Raises InvalidRequest for a limit that is out of bounds. None means no limit."""
    for name, number in limits.items():
        limit = MAX_SEARCHES if name == "concurrent_searches" else 2**63 - 1
        if number is not None and not 1 <= number <= limit:
            raise InvalidRequest(f"{name} is {number}; it must be 1 to {limit}; to have no limit, remove it")


def stored_limits(limits: Mapping[str, int | None]) -> dict[str, int | None]:
    """Returns limits in their stored form. Searches are never unlimited: None means the setting's limit for them."""
    return {
        name: NO_LIMIT if number is None and name != "concurrent_searches" else number
        for name, number in limits.items()
    }


def kept_label(label: str) -> str:
    """Returns the label as it is stored. Raises InvalidRequest for a NUL, which PostgreSQL cannot keep."""
    if "\0" in label:
        raise InvalidRequest("the label has NUL characters: remove them")
    return label[:_LABEL_LENGTH]
