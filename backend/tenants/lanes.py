"""Chooses and checks the lanes of tenants."""

import hashlib
from collections.abc import Sequence

from kit.errors import InvalidRequest


def check_lane(lane: int, lanes: Sequence[int]) -> None:
    """Raises InvalidRequest if the lane does not exist."""
    if lane not in lanes:
        raise InvalidRequest(f"there is no lane {lane}: choose one of {', '.join(map(str, lanes))}")


def pick_lane(name: str, lanes: Sequence[int]) -> int:
    """Returns the lane for a tenant's name, by its hash, so that a name gets the same lane on every installation."""
    return lanes[int.from_bytes(hashlib.sha256(name.encode()).digest()[:8]) % len(lanes)]
