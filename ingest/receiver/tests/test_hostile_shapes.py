"""Tests requests of the worst shapes: each is refused by a limit, or costs no more than a request of real logs.

docs/operations/receiver.md, "What the receiver accepts", has the limits.
"""

import time
from collections.abc import Callable
from contextlib import suppress

import pytest

from ingest.receiver.admit import Admitter, Window
from ingest.receiver.otlp_json import read_json
from ingest.receiver.prepare import Prepared, prepare
from ingest.receiver.survey import MAX_ATTRIBUTES, MAX_GROUPS, MAX_SCOPE_ATTRIBUTES
from ingest.receiver.tests.fakes import NOW
from kit.errors import InvalidRequest, LogsieveError, TooLarge
from kit.settings import Settings
from schema.request_size import MAX_NESTED_VALUES
from schema.tests.otlp_messages import field

WINDOW = Window.at(NOW, retention_days=30, future_tolerance_seconds=3600)
RECORD = field(2, b"")


def within(inner: bytes, *numbers: int) -> bytes:
    for number in reversed(numbers):
        inner = field(number, inner)
    return inner


def prepared(raw: bytes, settings: Settings | None = None) -> Prepared:
    settings = settings or Settings()
    return prepare(raw, settings.request_max_records, WINDOW, Admitter(settings), 1, None)


def names(count: int, number: int, first: int = 0) -> bytes:
    return b"".join(field(number, field(1, b"%07x" % each)) for each in range(first, first + count))


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (field(1, b"") * (MAX_GROUPS + 1), "resources, scopes and entities"),
        (within(field(2, b"") * MAX_GROUPS, 1), "resources, scopes and entities"),
        (within(field(3, b"") * MAX_GROUPS, 1, 1), "resources, scopes and entities"),
        (within(RECORD * 100_001, 1, 2), "100000 log records"),
        (within(field(6, b"") * (MAX_ATTRIBUTES + 1), 1, 2, 2), "attributes"),
        (within(field(1, b"") * (MAX_ATTRIBUTES + 1), 1, 1), "attributes"),
        (within(field(3, b"") * (MAX_SCOPE_ATTRIBUTES + 1), 1, 2, 1), "the scopes of a request"),
        (within(field(1, field(2, field(6, b""))) * (MAX_NESTED_VALUES + 1), 1, 2, 2, 5, 6), "inside arrays and maps"),
    ],
)
def test_a_crowd_of_empty_parts_is_too_large(raw: bytes, reason: str) -> None:
    with pytest.raises(TooLarge, match=reason):
        prepared(raw)


def test_small_records_of_a_resource_that_json_makes_long_are_too_large() -> None:
    entry = field(1, b"k") + field(2, field(1, b"\x01" * 2400))
    attribute = field(1, b"map") + field(2, field(6, field(1, entry)))
    with pytest.raises(TooLarge, match="the rows of a request"):
        prepared(field(1, field(1, field(1, attribute)) + field(2, RECORD * 100_000)))


def test_too_deep_is_refused() -> None:
    value = b""
    for _ in range(100):
        value = field(5, field(1, value))
    with pytest.raises(InvalidRequest, match="too deep"):
        prepared(within(value, 1, 2, 2, 5))


NAMES = 200
MANY = RECORD * 10_000


@pytest.mark.parametrize(
    "raw",
    [
        within(names(100_000, 6), 1, 2, 2),
        field(1, field(1, names(NAMES, 1)) + field(2, MANY)),
        within(field(1, names(NAMES, 3)) + MANY, 1, 2),
        field(1, field(2, MANY) + field(1, names(NAMES, 1))),
    ],
)
def test_names_on_one_record_resource_or_scope_keep_no_record(raw: bytes) -> None:
    admission = prepared(raw).admission
    assert (admission.kept, admission.value) == (0, b"")


def spent(work: Callable[[int], object], size: int) -> float:
    started = time.thread_time()
    with suppress(LogsieveError):
        work(size)
    return time.thread_time() - started


@pytest.mark.parametrize("limit", ["request_max_attribute_names", "tenant_max_attribute_names_per_day"])
def test_names_that_refused_records_share_are_looked_up_once(limit: str) -> None:
    """Looking the names up for each record took 3 s for 200 KiB, which is too small for a thread."""
    shared = field(1, names(128, 1)), field(1, names(128, 3, first=128))
    raw = field(1, shared[0] + field(2, shared[1] + RECORD * 20_000))
    settings = Settings().model_copy(update={limit: 255})
    assert (prepared(raw).admission.kept, prepared(raw, settings).admission.kept) == (20_000, 0)

    kept = min(spent(lambda _: prepared(raw), 0) for _ in range(3))
    refused = min(spent(lambda _: prepared(raw, settings), 0) for _ in range(3))

    assert refused < 10 * max(kept, 0.002)


def deep_and_invalid(size: int) -> object:
    value = field(1, b"x" * size + b"\xff")
    for _ in range(45):
        value = field(5, field(1, value))
    return prepared(within(value, 1, 2, 2, 5))


SHAPES: dict[str, Callable[[int], object]] = {
    "new names in each record": lambda size: prepared(
        within(b"".join(field(2, field(6, field(1, b"%07x" % each))) for each in range(size // 16)), 1, 2)
    ),
    "one name many times": lambda size: prepared(within(field(6, field(1, b"a")) * (size // 8), 1, 2, 2)),
    "a body that is not UTF-8": lambda size: prepared(within(b"\xff" * size, 1, 2, 2, 5, 1)),
    "a deep body that is not UTF-8": deep_and_invalid,
    "a body in pieces": lambda size: prepared(within(field(5, field(5, field(1, b""))) * (size // 16), 1, 2, 2)),
    "unknown fields": lambda size: prepared(b"\x98\x06\x01" * (size // 3)),
    "JSON of one long number": lambda size: read_json(b'{"a":%b}' % (b"9" * size)),
    "JSON of one key many times": lambda size: read_json(b'{%b"b":2}' % (b'"a":1,' * (size // 6))),
    "JSON of many keys": lambda size: read_json(b"{%b}" % b",".join(b'"%x":1' % each for each in range(size // 10))),
    "JSON of escapes": lambda size: read_json(b'{"a":"%b"}' % (b"\\ud800" * (size // 6))),
    "JSON of deep lists": lambda size: read_json(b"[" * size),
    "JSON that is not UTF-8": lambda size: read_json(b'{"a":"%b"}' % (b"\xff" * size)),
    "an id of many digits": lambda size: read_json(
        b'{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"traceId":"%b"}]}]}]}' % (b"a" * size)
    ),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_sixteen_times_the_size_costs_no_256_times_as_much(shape: str) -> None:
    """Linear work takes 16 times as long, quadratic work 256 times. The bound is in between, for a busy machine."""
    small, large = 2**14, 2**18
    at_least = 0.002
    few = min(spent(SHAPES[shape], small) for _ in range(3))
    many = min(spent(SHAPES[shape], large) for _ in range(2))
    assert many < 100 * max(few, at_least)


@pytest.mark.parametrize("opening", [b"[", b'{"a":'])
def test_json_that_is_too_deep_is_refused_before_anything_is_made_of_it(opening: bytes) -> None:
    body = b'{"unknown":' + opening * 100_000
    with pytest.raises(InvalidRequest, match="nested more than 1000 deep"):
        read_json(body)


def test_brackets_in_texts_are_not_depth() -> None:
    body = b'{"resourceLogs":[],"unknown":["%b"]}' % (b'[{\\"' * 20_000)
    read_json(body)


def test_a_crowd_of_json_is_too_large() -> None:
    with pytest.raises(TooLarge, match="objects, arrays and members"):
        read_json(b'{"a":[%b1]}' % (b"[]," * (3_000_000 // 2)))
