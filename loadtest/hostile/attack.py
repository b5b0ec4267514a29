"""An attack as a value: how to prepare it, its bounds, and the answers that the documentation names for it."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

Address = tuple[str, int]
Answers = Counter[str]
"""Number of answers of each kind: an HTTP status, the name of a gRPC status, or one of the words below."""
Act = Callable[[], Answers]
"""Runs a prepared attack to its end."""

CLOSED: Final = "closed"
"""The server closed or reset the connection without an HTTP answer."""
REFUSED: Final = "no connection"
"""The connection could not be opened."""
SILENT: Final = "silent"
"""The connection was still open without an answer when the attack ended."""
OPEN: Final = "open"
"""The connection was still open when the attack ended, and the gRPC server had sent its greeting."""

SOURCE: Final = "127.0.0.2"
"""Client address of attacks. Victims use 127.0.0.1, so that limits per address do not mix them with attackers."""
HOLDER: Final = "127.0.0.3"
"""Client address of attacks that open as many connections as they can.

It differs from SOURCE, so that other attacks do not run into the limit of connections per address.
"""


@dataclass(frozen=True, slots=True)
class Target:
    """Addresses and keys that an attacker may use.

    Each ingest key belongs to another attacking tenant. The messages of these tenants go to different partitions of the
    topic. The first tenant shares its partition with a victim, and owns the query key.
    """

    otlp_http: Address
    otlp_grpc: Address
    api: Address
    ingest_keys: tuple[str, ...]
    query_key: str
    redacting_keys: tuple[str, ...] = ()
    """Ingest keys of tenants in whose bodies the receiver looks for a slow expression."""


@dataclass(frozen=True, slots=True)
class Effort:
    """Bounds of one run of an attack. The run ends when it reaches the first of them."""

    seconds: float
    """Seconds after which the attack starts nothing new."""
    requests: int
    """Largest number of requests."""
    connections: int
    """Largest number of connections from one address to a port that are open at the same time."""
    hold_seconds: float
    """Longest time, in seconds, that connections are held. The attack ends earlier if the server closes all of them."""
    names: int
    """Distinct attribute names in one request."""
    tries: int
    """Largest number of runs of the attack.

    The attack is repeated until it has had all needed answers, because a busy machine may first refuse requests that
    arrive too slowly.
    """
    rows: int
    """Records in the request with one long resource, which is stored in the row of each record."""


Prepare = Callable[[Target, Effort], Act]
"""Makes an attack's requests. A separate step, because its processor time would slow the victims down."""


@dataclass(frozen=True, slots=True)
class Attack:
    """An attack.

    `documented` has the answers that the documentation names, such as `200 and 429, also closed`: those before "also"
    must all occur, those after it may occur, and no others.
    """

    name: str
    does: str
    documented: str
    prepare: Prepare

    def is_met_by(self, answers: Answers) -> bool:
        needed, _ = self._documented()
        return (+answers).keys() >= needed and not self.is_contradicted_by(answers)

    def is_contradicted_by(self, answers: Answers) -> bool:
        """Returns whether there was an undocumented answer, so that further answers cannot change the result."""
        needed, also = self._documented()
        return not (+answers).keys() <= needed | also

    def _documented(self) -> tuple[set[str], set[str]]:
        """Returns the answers that must occur, and those that may."""
        needed, _, also = self.documented.partition(", also ")
        return set(needed.split(" and ")), set(also.split(", "))
