"""Tests that costly tails of one tenant end when they delay the tails of others, and when they may begin again."""

from typing import cast

from backend.language.parse import parse
from backend.predicate.predicate import compile_predicate
from backend.tail.dispatch import LIMIT_SECONDS, WINDOW_SECONDS, Dispatch
from backend.tail.events import Piece
from backend.tail.group import Group, TailedQuery
from backend.tail.handover import Offered
from backend.tail.messages import TailedMessage
from backend.tail.position import TailPosition
from kit.clock import ManualClock

POSITION = TailPosition(1, 0, {0: 0})


class Message:
    """A message of a tenant. Comparing it with a query takes the given processor time."""

    partition, offset = 0, 1

    def __init__(self, tenant_id: int, seconds: float, cpu: list[float]) -> None:
        self.tenant_id = tenant_id
        self._seconds = seconds
        self._cpu = cpu
        self.compared = 0

    def matching(self, _predicate: object, _sent: int) -> list[tuple[int, bytes]]:
        self.compared += 1
        self._cpu[0] += self._seconds
        return [(0, b"{}")]


def group(tenant_id: int, query: str) -> Group:
    return Group(TailedQuery(tenant_id, query, b"", compile_predicate(parse(query))), frozenset({0}))


class World:
    def __init__(self, *groups: Group) -> None:
        self.clock = ManualClock()
        self.cpu = [0.0]
        self.groups = groups
        self.dispatch = Dispatch(self.clock, lambda: self.cpu[0])

    def receive(self, tenant_id: int, seconds: float) -> tuple[int, list[Piece]]:
        """Returns the number of queries that were compared with a message, and the pieces for its tails."""
        message = Message(tenant_id, seconds, self.cpu)
        offered: list[Offered] = list(
            self.dispatch.offered(cast(TailedMessage, message), self.groups, lambda _: POSITION)
        )
        return message.compared, [piece for _, piece in offered]

    def takes_too_long(self, tenant_id: int) -> bool:
        return self.dispatch.takes_too_long(tenant_id, self.groups)


def test_a_message_is_compared_no_further_when_its_tenant_takes_too_long() -> None:
    world = World(*(group(1, f"word{number}") for number in range(100)), group(2, "other"))
    compared, pieces = world.receive(1, LIMIT_SECONDS / 4)
    assert (compared, len(pieces)) == (5, 5)
    assert world.takes_too_long(1)
    assert not world.takes_too_long(2)
    assert world.receive(2, 0.001)[0] == 1


def test_the_time_is_forgotten() -> None:
    world = World(group(1, "a"), group(2, "b"))
    world.receive(1, 2 * LIMIT_SECONDS)
    assert world.takes_too_long(1)
    world.clock.advance(WINDOW_SECONDS)
    assert not world.takes_too_long(1)


def test_a_tenant_alone_delays_nobody() -> None:
    world = World(group(1, "a"), group(1, "b"))
    assert world.receive(1, 10 * LIMIT_SECONDS)[0] == 2
    assert not world.takes_too_long(1)
