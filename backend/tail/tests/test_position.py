import pytest

from backend.tail.position import MAX_CHARACTERS, MAX_PARTITIONS, TailPosition, digest_of, read_tail_position
from kit.errors import InvalidCursor

DIGEST = digest_of("error", 7)
POSITION = TailPosition(4711, 10**18, {0: 5, 3: 2**62}, started=3, rows=17)


def test_an_id_says_where_its_tail_was() -> None:
    assert read_tail_position(POSITION.encode(DIGEST).decode(), DIGEST) == POSITION


def test_an_id_of_the_most_partitions_is_short_enough() -> None:
    largest = TailPosition(1, 1, dict.fromkeys(range(MAX_PARTITIONS), 1))
    text = largest.encode(DIGEST).decode()
    assert len(text) <= MAX_CHARACTERS
    assert read_tail_position(text, DIGEST) == largest


@pytest.mark.parametrize(
    "text",
    [
        "",
        "abc",
        "ä",
        "A" * (MAX_CHARACTERS + 1),
        POSITION.encode(digest_of("error", 8)).decode(),
        POSITION.encode(digest_of("warn", 7)).decode(),
        POSITION.encode(DIGEST).decode()[:-14],
        TailPosition(1, 1, {}).encode(DIGEST).decode(),
        TailPosition(1, 1, {0: 2**63}).encode(DIGEST).decode(),
        TailPosition(1, 1, {0: 1}, started=1, rows=1).encode(DIGEST).decode(),
        TailPosition(1, 1, dict.fromkeys(range(MAX_PARTITIONS + 1), 1)).encode(DIGEST).decode(),
    ],
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(InvalidCursor):
        read_tail_position(text, DIGEST)


def test_only_the_partial_message_has_records_that_were_sent() -> None:
    assert POSITION.rows_sent(3, 2**62) == 17
    assert POSITION.rows_sent(3, 2**62 + 1) == 0
    assert POSITION.rows_sent(0, 5) == 0
