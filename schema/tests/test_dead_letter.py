import pytest
from hypothesis import given
from hypothesis import strategies as st

from schema.dead_letter import DeadLetter, NotALetter, Origin, replayed_headers, replayed_origin
from schema.kafka_message import Headers

ORIGIN = Origin("0123456789abcdef" * 2, 3, 1234, leader_epoch=7)
OF_AN_EARLIER_RELEASE = Origin("0123456789abcdef" * 2, 3, 1234)
NAMES = st.sampled_from(["logsieve-dead", "origin", "code", "reason", "tenant_id", ""])
HEADERS = st.lists(st.tuples(NAMES, st.none() | st.binary(max_size=20)), max_size=6)


@given(HEADERS, st.none() | st.binary(max_size=20), st.binary(max_size=50), st.text(max_size=30))
def test_a_letter_reads_back_whatever_the_original_headers_are(
    headers: Headers, key: bytes | None, value: bytes, reason: str
) -> None:
    letter = DeadLetter(ORIGIN, "envelope", reason, key, headers, value)
    again = DeadLetter.from_message(letter.to_headers(), key, value)
    assert (again.origin, again.code, again.key, again.headers, again.value) == (
        letter.origin,
        letter.code,
        letter.key,
        letter.headers,
        letter.value,
    )


@pytest.mark.parametrize(
    "headers",
    [[], [("logsieve-dead", b"1")], [("logsieve-dead", b"2"), ("origin", ORIGIN.key), ("code", b""), ("reason", b"")]],
)
def test_other_messages_are_no_dead_letters(headers: Headers) -> None:
    with pytest.raises(NotALetter):
        DeadLetter.from_message(headers, None, b"")


@pytest.mark.parametrize("key", [b"", b"a/b/c", b"\xff", b"a/1", b"a/1/2:", b"a/1/2:b", b"a/1/:2"])
def test_an_origin_that_cannot_be_read_is_none(key: bytes) -> None:
    with pytest.raises(NotALetter):
        Origin.from_key(key)


def test_letters_and_markers_of_earlier_releases_have_no_leader_epoch() -> None:
    key = b"0123456789abcdef0123456789abcdef/3/1234"
    assert (Origin.from_key(key), OF_AN_EARLIER_RELEASE.key) == (OF_AN_EARLIER_RELEASE, key)
    assert OF_AN_EARLIER_RELEASE != ORIGIN
    letter = DeadLetter.from_message(
        [("logsieve-dead", b"1"), ("origin", key), ("code", b"envelope"), ("reason", b"why")], None, b"!"
    )
    assert (letter.origin, letter.to_headers()[1]) == (OF_AN_EARLIER_RELEASE, ("origin", key))
    assert replayed_origin([("logsieve-replayed", key)]) == OF_AN_EARLIER_RELEASE


def test_a_marker_names_its_letter() -> None:
    assert replayed_origin(replayed_headers(ORIGIN)) == ORIGIN
    assert replayed_origin([("logsieve-dead", b"1")]) is None
    assert replayed_origin([]) is None
