"""Checks values that operators set: the size of bodies, limits, and labels of keys."""

from collections.abc import Mapping
from typing import Final

from kit.errors import InvalidRequest
from schema.tenant_partitions import MAX_WAYS

MAX_BODY_BYTES: Final = 65_536
MAX_SEARCHES: Final = 100_000
NEVER_UNLIMITED: Final = {"concurrent_searches": MAX_SEARCHES, "partitions": MAX_WAYS}
"""Limits that a tenant always has, with their largest values. If none is set, a default applies."""
MAX_LABEL: Final = 100
"""Largest number of characters of a key's label."""


def check_body(size: int) -> None:
    """Raises InvalidRequest unless a tenant may have this largest size of a stored body, in bytes."""
    if not 1 <= size <= MAX_BODY_BYTES:
        raise InvalidRequest(f"the largest stored body is {size} bytes: give 1 to {MAX_BODY_BYTES}")


def check_limits(limits: Mapping[str, int | None]) -> None:
    """Raises InvalidRequest for a limit out of range. None is allowed: it removes a limit."""
    for name, number in limits.items():
        limit = NEVER_UNLIMITED.get(name, 2**63 - 1)
        if number is not None and not 1 <= number <= limit:
            without = "the default" if name in NEVER_UNLIMITED else "no limit"
            raise InvalidRequest(f"{name} is {number}: give 1 to {limit}, or remove it for {without}")


def check_label(label: str) -> None:
    """Raises InvalidRequest for a label that is too long, or has a NUL, which PostgreSQL cannot keep."""
    if "\0" in label:
        raise InvalidRequest("the label has NUL characters: remove them")
    if len(label) > MAX_LABEL:
        raise InvalidRequest(f"the label has {len(label)} characters: give at most {MAX_LABEL}")
