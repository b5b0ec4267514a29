"""Tests that costly tails of one tenant end when they delay the tails of others, and when they may begin again."""

from collections.abc import Collection, Iterator
from typing import cast

import pytest

from backend.language.parse import parse
from backend.language.steps import TextSteps, text_steps
from backend.predicate.predicate import compile_predicate
from backend.tail.dispatch import LIMIT_SECONDS, MESSAGE_SECONDS, WINDOW_SECONDS, Dispatch
from backend.tail.events import Piece
from backend.tail.group import Group, TailedQuery
from backend.tail.messages import RECORD_STEPS, TailedMessage
from backend.tail.position import TailPosition
from backend.tail.tests.kafka_messages import message_of
from kit.clock import ManualClock
from kit.errors import RateLimited

POSITION = TailPosition(1, 0, {0: 0})
SLICE = 10


class Message:
    """A message of a tenant with slices of SLICE records. Comparing a slice with a query takes the given processor
    time."""

    partition, offset = 0, 1

    def __init__(self, tenant_id: int, seconds: float, cpu: list[float], slices: int = 1) -> None:
        self.tenant_id = tenant_id
        self._seconds = seconds
        self._cpu = cpu
        self._slices = slices
        self.compared = 0

    def slices(self, _queries: Collection[TextSteps]) -> Iterator[range]:
        for number in range(self._slices):
            yield range(number * SLICE, (number + 1) * SLICE)

    def matching(self, _predicate: object, numbers: range) -> Iterator[tuple[int, bytes]]:
        self.compared += 1
        self._cpu[0] += self._seconds
        yield numbers.start, b"{}"


def group(tenant_id: int, query: str) -> Group:
    return Group(TailedQuery(tenant_id, query, b"digested", compile_predicate(parse(query))), frozenset({0}))


class World:
    def __init__(self, *groups: Group) -> None:
        self.clock = ManualClock()
        self.cpu = [0.0]
        self.groups = groups
        self.dispatch = Dispatch(self.clock, lambda: self.cpu[0])

    def receive(self, tenant_id: int, seconds: float, slices: int = 1) -> tuple[int, list[Piece], str | None]:
        """Returns how many slices were compared with queries, the pieces for the tails, and why the tails end."""
        message, pieces = Message(tenant_id, seconds, self.cpu, slices), []
        try:
            for _, piece in self.dispatch.offered(cast(TailedMessage, message), self.groups, lambda _: POSITION):
                pieces.append(piece)
        except RateLimited as refusal:
            return message.compared, pieces, refusal.detail
        return message.compared, pieces, None

    def takes_too_long(self, tenant_id: int) -> bool:
        return self.dispatch.takes_too_long(tenant_id, self.groups)


def test_a_message_is_compared_no_further_when_its_tenant_takes_too_long() -> None:
    world = World(*(group(1, f"word{number}") for number in range(100)), group(2, "other"))
    compared, pieces, reason = world.receive(1, LIMIT_SECONDS / 4)
    assert (compared, len(pieces)) == (5, 5)
    assert reason is not None
    assert "beside those of other tenants" in reason
    assert world.takes_too_long(1)
    assert not world.takes_too_long(2)
    assert world.receive(2, 0.001)[0] == 1
    assert world.receive(1, 0.001)[0] == 0


def test_a_query_is_compared_with_no_more_slices_when_its_tenant_takes_too_long() -> None:
    world = World(group(1, "a"), group(2, "b"))
    compared, pieces, reason = world.receive(1, LIMIT_SECONDS / 4, slices=1_000)
    assert (compared, [piece.rows for piece in pieces]) == (5, [1, 11, 21, 31, 41])
    assert reason is not None


def test_all_queries_are_compared_with_a_slice_before_the_next_one() -> None:
    world = World(group(1, "a"), group(1, "b"))
    _, pieces, _ = world.receive(1, 0.001, slices=2)
    assert [piece.rows for piece in pieces] == [1, 1, 11, 11]


def test_the_time_is_forgotten() -> None:
    world = World(group(1, "a"), group(2, "b"))
    world.receive(1, 2 * LIMIT_SECONDS)
    assert world.takes_too_long(1)
    world.clock.advance(WINDOW_SECONDS)
    assert not world.takes_too_long(1)


def test_a_tenant_alone_delays_nobody() -> None:
    world = World(group(1, "a"), group(1, "b"))
    for _ in range(10):
        assert world.receive(1, MESSAGE_SECONDS / 3)[::2] == (2, None)
    assert not world.takes_too_long(1)


@pytest.mark.parametrize("queries", [1, 100])
def test_a_tenant_alone_does_not_take_all_time_for_one_message(queries: int) -> None:
    """Tests that another tenant can open a tail although the message would take an hour."""
    world = World(*(group(1, f"word{number}") for number in range(queries)))
    compared, pieces, reason = world.receive(1, MESSAGE_SECONDS / 4, slices=1_000)
    assert (compared, len(pieces)) == (5, 5)
    assert reason is not None
    assert "the logs of one request" in reason


@pytest.mark.parametrize("more", [0, 1])
@pytest.mark.parametrize(
    "query",
    [
        "text:~" + "a*" * 186 + "b",
        " OR ".join(f"resource.text:~*q{number}*" for number in range(256)),
        " OR ".join([f'text:~"b {number} {number + 1}"' for number in range(256)]),
        " OR ".join(["-text:a*b", "text:<5", "text:[a TO b]"] * 64),
    ],
    ids=["stars", "substrings", "phrases", "globs and comparisons"],
)
def test_no_query_is_compared_with_a_record_that_would_take_too_long(query: str, more: int) -> None:
    """Tests that a long attribute and a long query, which take seconds, do not stop the tails of others."""
    node = parse(query)
    steps = text_steps(node)
    tailed = TailedQuery(1, query, b"digested", compile_predicate(node), text_steps=steps)
    world = World(Group(tailed, frozenset({0})))
    longest = RECORD_STEPS // steps.values + more
    assert longest < 15 * 2**20, "a request can have such an attribute"
    message = TailedMessage(message_of(1, ["body"], resource_text="x" * longest), 1)
    offered = world.dispatch.offered(message, world.groups, lambda _: POSITION)
    if more:
        with pytest.raises(RateLimited, match=r"texts that are too long .* fewer terms and stars"):
            list(offered)
    else:
        list(offered)


@pytest.mark.parametrize("query", ["*", "text:*", 'text:"x y"', " OR ".join(f"word{n}" for n in range(256))])
def test_a_query_that_reads_no_attribute_takes_any(query: str) -> None:
    node = parse(query)
    tailed = TailedQuery(1, query, b"digested", compile_predicate(node), text_steps=text_steps(node))
    world = World(Group(tailed, frozenset({0})))
    message = TailedMessage(message_of(1, ["body"], resource_text="x" * (15 * 2**20)), 1)
    list(world.dispatch.offered(message, world.groups, lambda _: POSITION))
