"""Writes the records of a page as JSON: one object with all of them, or a line for each."""

from collections.abc import Sequence
from itertools import chain

import orjson
from pydantic import JsonValue

from backend.answers.pieces import pieces
from backend.answers.response import INLINE_CHARACTERS
from backend.answers.threads import AnswerThreads
from backend.logs.records import encode_log
from schema.columns import PackedRecord, Record


async def encoded_page(
    writers: AnswerThreads, tenant_id: int, rows: Sequence[Record], **rest: JsonValue
) -> list[bytes]:
    """Returns, in pieces, the JSON object with the records as `logs` and the members of `rest`."""

    def write() -> list[bytes]:
        logs = (b",%b" % encode_log(row) if number else encode_log(row) for number, row in enumerate(rows))
        return pieces(chain([b'{"logs":['], logs, [b"],", orjson.dumps(rest)[1:]]))

    return write() if is_short(rows) else await writers.run(tenant_id, write)


async def encoded_lines(
    writers: AnswerThreads, tenant_id: int, rows: Sequence[Record], before: bytes = b"", after: bytes = b"\n"
) -> list[bytes]:
    """Returns, in pieces, text with one record a line, each between `before` and `after`."""

    def write() -> list[bytes]:
        return pieces(before + encode_log(row) + after for row in rows)

    return write() if is_short(rows) else await writers.run(tenant_id, write)


def is_short(rows: Sequence[Record]) -> bool:
    """Returns true if writing the records takes less time than a switch to a thread.

    This is false for records without `record_json`, because the length of their attributes is not known.
    """
    characters = 0
    for row in rows:
        if not isinstance(row, PackedRecord):
            return False
        characters += len(row.body) + len(row.record_json)
        if characters > INLINE_CHARACTERS:
            return False
    return True
