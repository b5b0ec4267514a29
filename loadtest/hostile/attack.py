"""An attack as a value: what it does, for how long at most, and the answers that the documentation names for it."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Final

Address = tuple[str, int]
Answers = Counter[str]
"""Counts of answers: an HTTP status, the name of a gRPC status, or one of the words below."""
Act = Callable[[], Answers]
"""Runs a prepared attack to its end."""

CLOSED: Final = "closed"
"""The server closed the connection without an answer, in the regular way."""
RESET: Final = "reset"
"""The server's end of the connection was reset, so that an answer may have been lost."""
REFUSED: Final = "no connection"
"""The connection could not be opened."""
SILENT: Final = "silent"
"""The connection was still open, without an answer, when the attack ended."""
OPEN: Final = "open"
"""The connection was still open when the attack ended, and had a gRPC server's greeting."""

SOURCE: Final = "127.0.0.2"
"""Address that attacks come from. Victims come from 127.0.0.1, so that limits by address tell them apart."""
TOO_SLOW: Final = ("429",)
"""Large requests of a busy machine may not have arrived whole after 10 s."""
HOLDER: Final = "127.0.0.3"
"""Address of attacks that take as many connections as they get. It is separate, so that other attacks still get one."""


@dataclass(frozen=True, slots=True)
class Target:
    """Ports on loopback and keys that an attacker may use.

    The keys are of tenants of its own, whose messages go to different partitions of the topic. The first tenant shares
    its partition with a victim; the query key is of that tenant.
    """

    otlp_http: Address
    otlp_grpc: Address
    api: Address
    ingest_keys: tuple[str, ...]
    query_key: str


@dataclass(frozen=True, slots=True)
class Effort:
    """Bounds of one run of an attack, which stops by itself at whichever comes first."""

    seconds: float
    """Seconds after which nothing more is begun."""
    requests: int
    """Requests at most."""
    connections: int
    """Connections to a port that are open at the same time at most, from one address."""
    hold_seconds: float
    """Seconds that connections are held at most; less where the server closes all of them before."""
    names: int
    """Distinct attribute names in one request."""
    tries: int
    """Largest number of runs of the attack.

    It is repeated until it got an expected answer, because a busy machine may first refuse slow requests for their
    slowness.
    """
    rows: int
    """Records in one request that share a long resource, which each of their rows has."""


@dataclass(frozen=True, slots=True)
class Documented:
    """Answers that the documentation names. Each of `needed` must occur; those of `also` may, and no others."""

    needed: frozenset[str]
    also: frozenset[str] = frozenset()

    @classmethod
    def of(cls, *needed: str, also: tuple[str, ...] = ()) -> "Documented":
        return cls(frozenset(needed), frozenset(also))

    def is_met_by(self, answers: Answers) -> bool:
        return self.needed <= _seen(answers) and not self.contradicted_by(answers)

    def contradicted_by(self, answers: Answers) -> bool:
        """Returns whether there was an answer that is not documented; no further answer makes that good."""
        return not _seen(answers) <= self.needed | self.also

    def __str__(self) -> str:
        also = f", also {', '.join(sorted(self.also))}" if self.also else ""
        return " and ".join(sorted(self.needed)) + also


class Queue(Enum):
    """Attacks of one queue follow one another also in the small study, because they share a limit: of requests or
    connections of one address, of a tenant, or of a port."""

    OTLP = "OTLP/HTTP requests"
    REST = "REST requests"
    HTTP_CONNECTIONS = "HTTP connections"
    GRPC_CONNECTIONS = "gRPC connections"


@dataclass(frozen=True, slots=True)
class Attack:
    """An attack. `prepare` makes its requests and returns the attack itself.

    Preparing is separate because it takes processor time that would slow the victims. It is a function of a module,
    because attacks run in a separate process.
    """

    name: str
    does: str
    documented: Documented
    prepare: Callable[[Target, Effort], Act]
    queue: Queue = Queue.OTLP


class Attacks(list[Attack]):
    """The attacks of one module, in the order in which they stand there."""

    def add(
        self, name: str, does: str, *needed: str, also: tuple[str, ...] = (), queue: Queue = Queue.OTLP
    ) -> Callable[[Callable[[Target, Effort], Act]], Callable[[Target, Effort], Act]]:
        """Declares the decorated function as the preparation of an attack, with its documented answers.

        Each of `needed` must occur, and those of `also` may.
        """

        def declare(prepare: Callable[[Target, Effort], Act]) -> Callable[[Target, Effort], Act]:
            self.append(Attack(name, does, Documented.of(*needed, also=also), prepare, queue))
            return prepare

        return declare


def _seen(answers: Answers) -> set[str]:
    return {answer for answer, times in answers.items() if times}
