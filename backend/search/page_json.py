"""Writes the records of a page as JSON: one object with all of them, or a line for each."""

from collections.abc import Sequence
from itertools import chain

import orjson
from pydantic import JsonValue

from backend.logs.log_json import encode_log, pieces, written
from schema.columns import StoredRecord


async def encoded_page(rows: Sequence[StoredRecord], **rest: JsonValue) -> list[bytes]:
    """Pieces of the JSON object that has the records as `logs`, and the other members."""

    def write() -> list[bytes]:
        logs = (b",%b" % encode_log(row) if number else encode_log(row) for number, row in enumerate(rows))
        return pieces(chain([b'{"logs":['], logs, [b"],", orjson.dumps(rest)[1:]]))

    return await written(write)


async def encoded_lines(rows: Sequence[StoredRecord], before: bytes = b"", after: bytes = b"\n") -> list[bytes]:
    """Pieces of text that has a record a line, each between the two texts."""

    def write() -> list[bytes]:
        return pieces(before + encode_log(row) + after for row in rows)

    return await written(write)
