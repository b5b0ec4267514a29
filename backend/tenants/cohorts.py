"""Which cohort a tenant's records go to, and when a change of it begins."""

import re
from typing import Final

from kit.errors import InvalidRequest

OWN: Final = "own"
ANNOUNCE_NS: Final = 10 * 10**9
"""Between the note of a move and its beginning. Backends must know the new cohort before a receiver sends a record to
it, or they would not look for it there; both read the control plane every 5 s at most."""

MAX_RETENTION_DAYS: Final = 3650
_SHARED: Final = re.compile(r"r([1-9]\d{0,3})")


def shared_cohort(retention_days: int) -> str:
    """The cohort of all tenants with that retention."""
    return f"r{retention_days}"


def own_cohort(tenant_id: int) -> str:
    """The cohort of one tenant alone, which is dropped and kept without regard to others."""
    return f"t{tenant_id}"


def check_retention(days: int) -> None:
    """Raises InvalidRequest for a retention that cannot be given."""
    if not 1 <= days <= MAX_RETENTION_DAYS:
        raise InvalidRequest(f"retention must be 1 to {MAX_RETENTION_DAYS} days")


def read_cohort(text: str, tenant_id: int, retention_days: int) -> tuple[str, int]:
    """The cohort that `own` or `r<days>` names for a tenant of this retention, and its retention.

    Raises InvalidRequest for any other text, and for a retention out of range.
    """
    if text == OWN:
        return own_cohort(tenant_id), retention_days
    shared = _SHARED.fullmatch(text)
    if shared is None:
        raise InvalidRequest(f"{text!r} is no cohort: say own, or r and days of retention, as in r30")
    check_retention(int(shared[1]))
    return text, int(shared[1])
