"""Writes the records of a page as JSON: one object with all of them, or a line for each."""

from collections.abc import Sequence
from itertools import chain

import orjson
from pydantic import JsonValue

from backend.logs.log_json import pieces, written
from backend.logs.records import encode_log
from schema.columns import Record


async def encoded_page(rows: Sequence[Record], **rest: JsonValue) -> list[bytes]:
    """Returns, in pieces, the JSON object with the records as `logs` and the members of `rest`."""

    def write() -> list[bytes]:
        logs = (b",%b" % encode_log(row) if number else encode_log(row) for number, row in enumerate(rows))
        return pieces(chain([b'{"logs":['], logs, [b"],", orjson.dumps(rest)[1:]]))

    return await written(write)


async def encoded_lines(rows: Sequence[Record], before: bytes = b"", after: bytes = b"\n") -> list[bytes]:
    """Returns, in pieces, text with one record a line, each between `before` and `after`."""

    def write() -> list[bytes]:
        return pieces(before + encode_log(row) + after for row in rows)

    return await written(write)
