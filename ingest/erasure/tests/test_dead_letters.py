"""Tests which messages of the dead-letter topic are copied when letters of deleted tenants are removed."""

from dataclasses import dataclass
from typing import cast

from confluent_kafka import Message

from ingest.erasure.dead_letters import _kept
from schema.dead_letter import DeadLetter, Origin, replayed_headers
from schema.envelope import Envelope
from schema.kafka_message import Headers

TOPIC = "0123456789abcdef" * 2


@dataclass(frozen=True)
class Stored:
    """A message of partition 0 of the topic."""

    at: int
    headers_: Headers
    value_: bytes = b"!"
    at_ms: int = 1_000

    def partition(self) -> int:
        return 0

    def offset(self) -> int:
        return self.at

    def key(self) -> None:
        return None

    def value(self) -> bytes:
        return self.value_

    def headers(self) -> Headers:
        return self.headers_

    def timestamp(self) -> tuple[int, int]:
        return 1, self.at_ms


def letter(tenant_id: int, offset: int) -> Headers:
    headers = Envelope(tenant_id, 0, "r30", 4096, 1).headers()
    return DeadLetter(Origin(TOPIC, 0, offset), "not_otlp", "why", None, headers, b"!").to_headers()


def marker(offset: int) -> Headers:
    return replayed_headers(Origin(TOPIC, 0, offset))


def kept(*messages: Stored, end: int = 100) -> list[int]:
    """Returns the offsets of the messages that are copied when tenant 1 is erased."""
    return [each.offset() or 0 for each in _kept(cast(list[Message], list(messages)), {1}, {0: end})]


def test_letters_and_markers_of_the_erased_tenant_are_left_out() -> None:
    assert kept(
        Stored(0, letter(1, 7)), Stored(1, letter(2, 8)), Stored(2, marker(7)), Stored(3, marker(8)), Stored(4, [])
    ) == [1, 3, 4]


def test_what_an_earlier_run_has_copied_is_copied_once_more_only() -> None:
    """A run that copied letters and could not delete the originals leaves both. Without this, each run would double
    them."""
    originals = [Stored(0, letter(2, 8)), Stored(1, letter(2, 9), at_ms=2_000), Stored(2, marker(8))]
    copies = [Stored(3 + each.at, each.headers_, at_ms=each.at_ms) for each in originals]
    assert kept(*originals, *copies) == [0, 1, 2]
    # A loader that repeated a range after a crash has written the letter at another time.
    assert kept(*originals, Stored(3, letter(2, 8), at_ms=3_000)) == [0, 1, 2, 3]


def test_what_was_written_after_the_count_stays_where_it_is() -> None:
    assert kept(Stored(0, letter(2, 8)), Stored(1, letter(2, 9)), end=1) == [0]
