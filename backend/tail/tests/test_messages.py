"""Tests that a message is evaluated and written in small parts, with the events that it would have in one part."""

import random
from itertools import pairwise

import pytest

from backend.language.parse import parse
from backend.language.steps import TextSteps, expression_steps, text_steps
from backend.logs.records import encode_log
from backend.predicate.predicate import compile_predicate
from backend.predicate.tests.matching import rows_matching
from backend.tail import messages
from backend.tail.events import PIECE_BYTES, Piece
from backend.tail.group import TailedQuery
from backend.tail.messages import RECORD_STEPS, SLICE_RECORDS, SLICE_STEPS, TailedMessage, _longest_values, record_of
from backend.tail.position import TailPosition, digest_of
from backend.tail.tests.kafka_messages import message_of, raw_message
from kit.errors import RateLimited
from schema.coordinates import Coordinates
from schema.envelope import Envelope
from schema.kafka_message import headers_of
from schema.log_columns import LogColumns
from schema.otlp import decode_message
from tests.chance import SEED, repetitions

TENANT = 7
PARTITION, OFFSET = 2, 5


def tailed(query: str) -> TailedQuery:
    node = parse(query)
    digest, predicate = digest_of(query, TENANT), compile_predicate(node)
    return TailedQuery(TENANT, query, digest, predicate, expression_steps(node), text_steps(node))


def pieces_of(query: TailedQuery, message: TailedMessage, position: TailPosition) -> list[Piece]:
    return [piece for rows in message.slices([query.text_steps]) for piece in query.events(message, position, rows)]


def whole(query: TailedQuery, bodies: list[str], position: TailPosition, resource_text: str) -> bytes:
    """Returns the text of all events, made at once."""
    message = message_of(TENANT, bodies, PARTITION, OFFSET, resource_text)
    envelope = Envelope.from_headers(headers_of(message))
    columns = decode_message(message.value() or b"", envelope, Coordinates(1, PARTITION, OFFSET))
    sent = position.rows_sent(PARTITION, OFFSET)
    text = b""
    for row in rows_matching(query.predicate, columns):
        if row >= sent:
            inside = TailPosition(1, position.time_ns, {**position.offsets, PARTITION: OFFSET}, PARTITION, row + 1)
            event_id = inside.encode(query.digest)
            text += b"id: %b\nevent: log\ndata: %b\n\n" % (event_id, encode_log(record_of(columns, row)))
    return text


@pytest.mark.parametrize("number", range(repetitions(200)))
def test_events_are_those_of_the_whole_message(number: int) -> None:
    chance = random.Random(SEED * 1_000 + number)
    bodies = [
        " ".join(chance.choices(["red", "blue", "green"], k=chance.randrange(5))) * chance.choice([1, 1, 400])
        for _ in range(chance.randrange(1, 3 * SLICE_RECORDS))
    ]
    resource_text = "x" * chance.choice([0, 10, 20_000])
    rows = chance.choice([0, chance.randrange(len(bodies) + 1)])
    position = TailPosition(1, 10**18, {0: 3, PARTITION: OFFSET}, PARTITION if rows else 0, rows)
    message = TailedMessage(message_of(TENANT, bodies, PARTITION, OFFSET, resource_text), 1)
    for query in (tailed("red"), tailed("-red"), tailed("*"), tailed("/re[a-z]{900}/ OR blue")):
        found = pieces_of(query, message, position)
        assert b"".join(piece.text for piece in found) == whole(query, bodies, position, resource_text)
        assert all(len(piece.text) <= PIECE_BYTES or piece.records == 1 for piece in found)
        assert all(piece.message == (PARTITION, OFFSET) for piece in found)
        assert all(before.rows < after.rows for before, after in pairwise(found))


@pytest.mark.parametrize("steps", [0, 100, 3_000])
def test_slices_are_short(steps: int) -> None:
    chance = random.Random(SEED)
    bodies = ["a" * chance.choice([0, 10, 500, 4_096, 60_000]) for _ in range(500)]
    slices = list(TailedMessage(message_of(TENANT, bodies), 1).slices([TextSteps(body=steps)]))
    assert [row for rows in slices for row in rows] == list(range(len(bodies)))
    assert all(len(rows) <= SLICE_RECORDS for rows in slices)
    costs = [steps * sum(len(bodies[row]) for row in rows) for rows in slices if len(rows) > 1]
    assert all(cost <= SLICE_STEPS for cost in costs)
    assert len(slices) < len(bodies) or steps == 3_000


def test_slices_count_the_longest_value_of_a_record() -> None:
    message = TailedMessage(message_of(TENANT, ["a"] * 10, resource_text="x" * 10_000), 1)
    assert {len(rows) for rows in message.slices([TextSteps(values=300)])} == {1}
    assert len(list(message.slices([TextSteps(body=300)]))) == 1, "a body does not count like the values"


def test_the_steps_of_different_queries_do_not_add_up() -> None:
    body, values = TextSteps(body=RECORD_STEPS // 1_000), TextSteps(values=RECORD_STEPS // 1_000)
    message = TailedMessage(message_of(TENANT, ["a" * 1_000], resource_text="x" * 1_000), 1)
    assert list(message.slices([body, values])) == [range(1)]
    with pytest.raises(RateLimited):
        list(message.slices([body, values, TextSteps(body.body, values.values)]))


def test_a_value_of_the_record_or_of_its_resource_is_the_longest() -> None:
    columns = LogColumns(
        attributes=[{}, {"a": "x" * 5, "b": "y"}, {"a": "x"}, {}, {}],
        resource=[{}, {"r": "z" * 3}, shared := {"r": "z" * 3}, shared, {"r": "z" * 7}],
    )
    assert [*_longest_values(columns)] == [0, 5, 3, 3, 7]


def test_a_message_that_cannot_be_decoded_has_no_slices() -> None:
    assert list(TailedMessage(raw_message(TENANT, b"no request"), 1).slices([TextSteps()])) == []


def test_little_json_is_kept_and_queries_share_it(monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[object] = []

    def write(record: object) -> bytes:
        written.append(record)
        return b"x" * 1_000

    monkeypatch.setattr(messages, "encode_log", write)
    message = TailedMessage(message_of(TENANT, ["red"] * 5 * SLICE_RECORDS), 1)
    first, second = tailed("red"), tailed("*")
    position = TailPosition(1, 0, {0: 0})
    for rows in message.slices([TextSteps()]):
        for query in (first, second):
            assert len([*query.events(message, position, rows)]) == 1
        assert len(message._json) <= SLICE_RECORDS
    assert len(written) == 5 * SLICE_RECORDS

    monkeypatch.setattr(messages, "CACHE_BYTES", 10_000)
    for rows in message.slices([TextSteps()]):
        for _ in first.events(message, position, rows):
            assert sum(map(len, message._json.values())) <= 10_000
