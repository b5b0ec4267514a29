"""Reads, makes and checks the names of cohorts."""

import re
from typing import Final

from kit.errors import InvalidRequest

OWN: Final = "own"
MAX_RETENTION_DAYS: Final = 3650
_SHARED: Final = re.compile(r"r([1-9]\d{0,3})")


def shared_cohort(retention_days: int) -> str:
    """Returns the cohort that tenants with that retention share."""
    return f"r{retention_days}"


def own_cohort(tenant_id: int) -> str:
    """Returns the cohort of one tenant alone, which is kept and dropped independently of other tenants."""
    return f"t{tenant_id}"


def check_retention(days: int) -> None:
    """Raises InvalidRequest for a number of days out of range."""
    if not 1 <= days <= MAX_RETENTION_DAYS:
        raise InvalidRequest(f"the retention is {days} days; it must be 1 to {MAX_RETENTION_DAYS} days")


def read_cohort(text: str, tenant_id: int, retention_days: int) -> tuple[str, int]:
    """Returns the cohort and retention that `own` or `r<days>` means for a tenant of this retention.

    Raises InvalidRequest for any other text, and for a retention out of range.
    """
    if text == OWN:
        return own_cohort(tenant_id), retention_days
    shared = _SHARED.fullmatch(text)
    if shared is None:
        raise InvalidRequest(f"{text!r} is not a cohort: write own, or r and the days of retention, as in r30")
    check_retention(int(shared[1]))
    return text, int(shared[1])
