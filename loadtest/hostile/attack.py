"""An attack as a value: its actions, its bounds, and the answers that the documentation names for it."""

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
"""The server closed the connection without an answer."""
RESET: Final = "reset"
"""The server reset the connection, so an answer may have been lost."""
REFUSED: Final = "no connection"
"""The connection could not be opened."""
SILENT: Final = "silent"
"""The connection was still open without an answer when the attack ended."""
OPEN: Final = "open"
"""The connection was still open when the attack ended, and the gRPC server had sent its greeting."""

SOURCE: Final = "127.0.0.2"
"""Client address of attacks. Victims use 127.0.0.1, so that limits per address do not mix them with attackers."""
TOO_SLOW: Final = ("429",)
"""Further answers to large requests, because on a busy machine they may take longer than 10 s to arrive."""
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


@dataclass(frozen=True, slots=True)
class Documented:
    """Answers that the documentation names. All of `needed` must occur, those of `also` may occur, and no others."""

    needed: frozenset[str]
    also: frozenset[str] = frozenset()

    @classmethod
    def of(cls, *needed: str, also: tuple[str, ...] = ()) -> "Documented":
        return cls(frozenset(needed), frozenset(also))

    def is_met_by(self, answers: Answers) -> bool:
        return self.needed <= _seen(answers) and not self.contradicted_by(answers)

    def contradicted_by(self, answers: Answers) -> bool:
        """Returns whether there was an undocumented answer, so that further answers cannot change the result."""
        return not _seen(answers) <= self.needed | self.also

    def __str__(self) -> str:
        also = f", also {', '.join(sorted(self.also))}" if self.also else ""
        return " and ".join(sorted(self.needed)) + also


@dataclass(frozen=True, slots=True)
class Attack:
    """An attack. `prepare` makes its requests and returns the function that sends them.

    Preparation is a separate step, because its processor time would slow the victims down. `prepare` must be a function
    of a module, because attacks run in a separate process.
    """

    name: str
    does: str
    documented: Documented
    prepare: Callable[[Target, Effort], Act]


class Attacks(list[Attack]):
    """The attacks of one module, in the order of their declarations."""

    def add(
        self, name: str, does: str, *needed: str, also: tuple[str, ...] = ()
    ) -> Callable[[Callable[[Target, Effort], Act]], Callable[[Target, Effort], Act]]:
        """Returns a decorator that declares a function as the preparation of an attack.

        The documented answers are `needed`, which must all occur, and `also`, which may occur.
        """

        def declare(prepare: Callable[[Target, Effort], Act]) -> Callable[[Target, Effort], Act]:
            self.append(Attack(name, does, Documented.of(*needed, also=also), prepare))
            return prepare

        return declare


def _seen(answers: Answers) -> set[str]:
    return {answer for answer, times in answers.items() if times}
