"""Tests that a page's JSON comes in pieces, which the event loop sends one by one."""

import asyncio

import orjson
import pytest
from pydantic import JsonValue

from backend.answers.pieces import PIECE_BYTES
from backend.answers.response import INLINE_CHARACTERS
from backend.answers.threads import AnswerThreads
from backend.logs.tests.models import to_log
from backend.search.page_json import encoded_lines, encoded_page, is_short
from backend.search.schemas import SearchPage
from backend.store.tests.fake_log_store import stored_row
from kit.clock import SystemClock
from schema.columns import PackedRecord

WRITERS = AnswerThreads(SystemClock())


@pytest.mark.parametrize("count", [0, 1, 3, 500])
def test_a_page_comes_in_pieces_that_a_client_can_be_sent_one_by_one(count: int) -> None:
    rows = [stored_row(number, number, "x" * 1_000) for number in range(count)]
    stats: JsonValue = {
        "elapsed_ms": 1.5,
        "rows_read": 1,
        "bytes_read": 2,
        "granules_total": None,
        "granules_read": None,
        "plan": "in_order",
        "windows": 1,
    }

    pieces = asyncio.run(encoded_page(WRITERS, 1, rows, next_cursor=None, stats=stats, hints=[]))

    assert all(len(piece) <= PIECE_BYTES for piece in pieces)
    page = SearchPage.model_validate_json(b"".join(pieces))
    assert page.logs == [to_log(row) for row in rows]
    assert page.stats.model_dump() == stats


def test_lines_have_what_stands_around_each_record() -> None:
    rows = [stored_row(number, number, "x" * (number * 40_000)) for number in range(5)]
    text = b"".join(asyncio.run(encoded_lines(WRITERS, 1, rows, b'{"log":', b"}\n")))
    assert [orjson.loads(line)["log"]["body"] for line in text.splitlines()] == [row[6] for row in rows]


def test_only_short_records_are_written_on_the_event_loop() -> None:
    half = PackedRecord(1, 2, "x" * (INLINE_CHARACTERS // 2 - 4), "{}\n}")
    assert is_short([])
    assert is_short([half, half])
    assert not is_short([half, half._replace(body=half.body + "x")])
    assert not is_short([half._replace(record_json="x" * INLINE_CHARACTERS)])
    assert not is_short([stored_row(1, 1)])


def test_a_page_is_the_same_whether_a_thread_writes_it_or_not() -> None:
    row = PackedRecord(1, 2, "a body", '"severity_number":9\n"flags":0')
    alone, among = (json_of([row] * count) for count in (1, INLINE_CHARACTERS // len(row.body)))
    assert alone == among[:1]


def json_of(rows: list[PackedRecord]) -> list[object]:
    logs: list[object] = orjson.loads(b"".join(asyncio.run(encoded_page(WRITERS, 1, rows, next_cursor=None))))["logs"]
    return logs
