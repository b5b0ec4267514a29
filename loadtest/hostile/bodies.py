"""Makes the bodies of hostile requests: well-formed ones that cost much, and ones that overflow a limit.

Each function takes the bounds of the attack, which decide the size of some bodies.
"""

import gzip
import json
import random
import sys
import zlib
from collections.abc import Iterable
from typing import Final

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue, KeyValueList
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, ResourceLogs, ScopeLogs
from opentelemetry.proto.resource.v1.resource_pb2 import Resource

from backend.tenants.service import DEFAULT_RETENTION_DAYS
from kit.clock import SystemClock
from loadtest.corpus.records import SMALL, RecordSource, export_request
from loadtest.corpus.rows import DAY_NS
from loadtest.hostile.attack import Effort

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

REQUEST_BYTES: Final = 16 * 2**20
"""Largest request that the receiver accepts, in decompressed bytes: the default of LOGSIEVE_REQUEST_MAX_BYTES."""

_NAMES_A_RECORD: Final = 19
_TINY_A_RECORD: Final = 100
_RESOURCE_BYTES: Final = 4_000
"""Bytes of the long attribute. With 60,000 records, the rows nearly reach the limit of 256 MiB for one request."""
_ESCAPED_BYTES: Final = 2_400
"""Control characters in the map of a resource. JSON writes each of them with six bytes."""
_MOST_RECORDS: Final = 100_000
"""Largest number of records of a request: the default of LOGSIEVE_REQUEST_MAX_RECORDS."""
_ORDINARY_RECORDS: Final = 400
_NOT_UTF8: Final = b"\xff\xfe\xc3\x28\x80"
_PLACE: Final = "?=?=?"
_DEEP_JSON: Final = 100_000
_DEEP_PROTOBUF: Final = 5_000
_ZEROS: Final = bytes(2**20)
_BOMB_PIECES: Final = 256
"""Number of times that a decompressed bomb contains `_ZEROS`."""


def distinct_names(effort: Effort) -> bytes:
    """Returns a gzip request whose attributes all have different names."""
    every = [KeyValue(key=f"a{name}", value=AnyValue(int_value=1)) for name in range(effort.names)]
    records = (every[first : first + _NAMES_A_RECORD] for first in range(0, effort.names, _NAMES_A_RECORD))
    return gzip.compress(_export(LogRecord(attributes=attributes) for attributes in records), 6)


def digits(effort: Effort) -> bytes:
    """Returns a request with one body of random zeros and ones, as many as `effort.names`."""
    text = "".join(random.Random(1).choices("01", k=effort.names))
    return _export([LogRecord(body=AnyValue(string_value=text))])


def tiny_attributes(effort: Effort) -> bytes:
    """Returns a gzip request with many attributes of nine bytes."""
    attributes = [KeyValue(key=f"{number:02}", value=AnyValue(int_value=1)) for number in range(_TINY_A_RECORD)]
    return gzip.compress(_export([LogRecord(attributes=attributes)] * (effort.names // _TINY_A_RECORD)), 1)


def tiny_attributes_in_json(effort: Effort) -> bytes:
    """Returns a gzip request in JSON with a third of the tiny attributes. The decoder makes an object of each part."""
    attributes = [{"key": f"{number:02}", "value": {"intValue": "1"}} for number in range(_TINY_A_RECORD)]
    record = json.dumps({"attributes": attributes}, separators=(",", ":"))
    records = ",".join([record] * (effort.names // _TINY_A_RECORD // 3))
    return gzip.compress(f'{{"resourceLogs":[{{"scopeLogs":[{{"logRecords":[{records}]}}]}}]}}'.encode(), 1)


def long_resource(effort: Effort) -> bytes:
    """Returns small records of one resource with a long attribute. Their rows are many times as large."""
    attribute = KeyValue(key="long", value=AnyValue(string_value="x" * _RESOURCE_BYTES))
    return _export([LogRecord(body=AnyValue(string_value="short"))] * effort.rows, Resource(attributes=[attribute]))


def escaped_resource(_: Effort) -> bytes:
    """Returns small records of one resource whose map is six times as long in rows: 1.4 GB from a request of 1 MB."""
    entry = KeyValue(key="k", value=AnyValue(string_value="\x01" * _ESCAPED_BYTES))
    attribute = KeyValue(key="map", value=AnyValue(kvlist_value=KeyValueList(values=[entry])))
    return _export([LogRecord(body=AnyValue(string_value="short"))] * _MOST_RECORDS, Resource(attributes=[attribute]))


def every_day(_: Effort) -> bytes:
    """Returns a record of each day of the retention. Each belongs to another partition of the log table."""
    now_ns = SystemClock().now_ns()
    return _export(
        LogRecord(time_unix_nano=now_ns - day * DAY_NS, body=AnyValue(string_value=f"day {day}"))
        for day in range(DEFAULT_RETENTION_DAYS)
    )


def ordinary(_: Effort) -> bytes:
    """Returns a request as a well-behaved client sends it."""
    return export_request(RecordSource(SMALL, 1).take(_ORDINARY_RECORDS, SystemClock().now_ns()), pod=1)


def zeros(_: Effort) -> bytes:
    return bytes(REQUEST_BYTES)


def not_utf8(_: Effort) -> bytes:
    """Returns records whose bodies, attribute names and values are not UTF-8."""
    attribute = KeyValue(key=f"name {_PLACE}", value=AnyValue(string_value=f"value {_PLACE}"))
    records = [LogRecord(body=AnyValue(string_value=f"text {_PLACE}"), attributes=[attribute])] * 100
    return _export(records).replace(_PLACE.encode(), _NOT_UTF8)


def oversized(_: Effort) -> bytes:
    return _export([LogRecord(body=AnyValue(string_value="x" * REQUEST_BYTES))])


def oversized_json(_: Effort) -> bytes:
    return b'{"resourceLogs":[' + b" " * REQUEST_BYTES + b"]}"


def deep_json(_: Effort) -> bytes:
    """Returns nested arrays, which overflow the stack of a recursive decoder."""
    return b'{"resourceLogs":' + b"[" * _DEEP_JSON + b"]" * _DEEP_JSON + b"}"


def deep_protobuf(_: Effort) -> bytes:
    """Returns a record whose body has nested arrays. Each adds two levels of protobuf messages."""
    value = AnyValue(string_value="x").SerializeToString()
    for _level in range(_DEEP_PROTOBUF):
        value = _field(5, _field(1, value))  # AnyValue.array_value, ArrayValue.values
    return _field(1, _field(2, _field(2, _field(5, value))))  # resource_logs, scope_logs, log_records, body


def gzip_bomb(_: Effort) -> bytes:
    return _deflated(wbits=31)


def deflate_bomb(_: Effort) -> bytes:
    return _deflated(wbits=15)


def zstd_bomb(_: Effort) -> bytes:
    compressor = zstd.ZstdCompressor()
    return b"".join([*(compressor.compress(_ZEROS) for _ in range(_BOMB_PIECES)), compressor.flush()])


def _deflated(wbits: int) -> bytes:
    """Returns `_BOMB_PIECES` times `_ZEROS`, compressed. `wbits` chooses the format, as in `zlib.compressobj`.

    Only two pieces are compressed, because the bytes after a full flush do not depend on earlier bytes. The final
    checksum is missing, because no receiver should read that far.
    """
    compressor = zlib.compressobj(9, zlib.DEFLATED, wbits)
    first, again = (compressor.compress(_ZEROS) + compressor.flush(zlib.Z_FULL_FLUSH) for _ in range(2))
    return first + again * (_BOMB_PIECES - 1)


def _export(records: Iterable[LogRecord], resource: Resource | None = None) -> bytes:
    logs = ResourceLogs(resource=resource, scope_logs=[ScopeLogs(log_records=records)])
    return ExportLogsServiceRequest(resource_logs=[logs]).SerializeToString()


def _field(number: int, content: bytes) -> bytes:
    """Encodes a length-delimited protobuf field: its number (below 16), the length as a varint, and the bytes."""
    length, size = len(content), bytearray([number << 3 | 2])
    while length > 0x7F:
        size.append(length & 0x7F | 0x80)
        length >>= 7
    size.append(length)
    return bytes(size) + content
