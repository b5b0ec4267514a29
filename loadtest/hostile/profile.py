"""Profiles of the study: how long it watches victims and how hard attacks try."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from loadtest.hostile.attack import Effort


@dataclass(frozen=True, slots=True)
class Profile:
    """Seconds that victims are watched, size of the attacker's tenant, and bounds of the attacks."""

    alone_seconds: float
    beside_seconds: float
    history: int
    """Requests of 512 records that the first attacking tenant has sent before."""
    settle_seconds: float | None
    """Seconds from the time at which everything of one attack is loaded to the next attack.

    None where attacks run in groups and victims are watched beside all of them together.
    """
    effort: Effort
    settings: Mapping[str, str]
    """Variables that the stack runs with instead of the shipped settings."""


FULL: Final = Profile(
    alone_seconds=40.0,
    beside_seconds=10.0,
    history=400,
    settle_seconds=1.0,
    effort=Effort(seconds=8.0, requests=200, connections=1_500, hold_seconds=12.0, tries=1, names=950_000, rows=60_000),
    settings={},
)
SMOKE: Final = Profile(
    alone_seconds=0.5,
    beside_seconds=0.5,
    history=2,
    settle_seconds=None,
    effort=Effort(seconds=0.5, requests=2, connections=90, hold_seconds=60.0, tries=5, names=5_000, rows=12_000),
    settings={
        "LOGSIEVE_CONTROL_REFRESH_SECONDS": "0.2",
        "LOGSIEVE_CONNECTIONS_PER_ADDRESS": "60",
        "LOGSIEVE_HTTP_HEAD_SECONDS": "3",
        "LOGSIEVE_HTTP_IDLE_SECONDS": "2",
        "LOGSIEVE_GRPC_IDLE_SECONDS": "2",
        "LOGSIEVE_INSERT_MAX_MEMORY": str(96 * 2**20),
        "LOGSIEVE_LOADER_BATCH_SECONDS": "0.1",
        "LOGSIEVE_TAIL_MAX_PER_TENANT": "10",
        "LOGSIEVE_WRONG_KEYS_PER_MINUTE": "10",
    },
)
"""With limits that a small attack can reach."""
