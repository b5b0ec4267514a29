"""Profiles of the study: the seconds for which victims are watched, and the bounds of attacks."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from loadtest.hostile.attack import Effort


@dataclass(frozen=True, slots=True)
class Profile:
    """Extent of the study. Victims are watched for `alone_seconds` alone and `beside_seconds` beside an attack."""

    alone_seconds: float
    beside_seconds: float
    history: int
    """Requests of 512 records that the first attacking tenant has stored before the attacks."""
    settle_seconds: float
    """Seconds between an attack, after all its messages are loaded, and the next attack."""
    effort: Effort
    settings: Mapping[str, str]
    """Environment variables of the stack that replace its shipped settings."""


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
    settle_seconds=0.0,
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
"""A run of about a minute, with limits that small attacks can reach."""
