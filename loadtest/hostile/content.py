"""Attacks by the content of well-formed requests."""

import dataclasses
import gzip
import json
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, ResourceLogs, ScopeLogs
from opentelemetry.proto.resource.v1.resource_pb2 import Resource

from loadtest.hostile.attack import TOO_SLOW, Act, Address, Answers, Attacks, Effort, Target
from loadtest.hostile.posting import JSON, LOGS, PARTIAL, Attacker, export_headers, posts
from loadtest.hostile.report import NAMES

ATTACKS: Final = Attacks()
_NAMES_A_RECORD: Final = 19
_TINY_A_RECORD: Final = 100
_RESOURCE_BYTES: Final = 4_000
"""Bytes of the long attribute. With 60,000 records, the rows nearly reach the limit of 256 MiB for one request."""
_LONG_REQUESTS: Final = 6
_NOT_UTF8: Final = b"\xff\xfe\xc3\x28\x80"
_PLACE: Final = "?=?=?"


@ATTACKS.add(
    NAMES,
    "50,000 records of 19 attributes each, of which no two have the same name, as 2 MB of gzip",
    PARTIAL,
)
def distinct_names(target: Target, effort: Effort) -> Act:
    return _distinct_names(target.otlp_http, target.ingest_keys[:1], effort)


@ATTACKS.add("the same from three tenants at once", "one such request for each of three partitions", PARTIAL)
def distinct_names_of_three_tenants(target: Target, effort: Effort) -> Act:
    return _distinct_names(target.otlp_http, target.ingest_keys, effort)


def _distinct_names(address: Address, keys: Sequence[str], effort: Effort) -> Act:
    names = range(effort.names)
    records = [
        LogRecord(attributes=[_attribute(f"a{name}") for name in names[first : first + _NAMES_A_RECORD]])
        for first in range(0, effort.names, _NAMES_A_RECORD)
    ]
    body = gzip.compress(export(records), 6)

    def send(key: str) -> Answers:
        with Attacker(address) as attacker:
            return Counter([attacker.post(LOGS, body, export_headers(key, encoding="gzip"))])

    def act() -> Answers:
        with ThreadPoolExecutor(len(keys)) as pool:
            return sum(pool.map(send, keys), Counter())

    return act


@ATTACKS.add(
    "tiny attributes",
    "950,000 attributes of 9 bytes in a request, sent again and again",
    "200",
    also=TOO_SLOW,
)
def tiny_attributes(target: Target, effort: Effort) -> Act:
    attributes = [_attribute(f"{number:02}") for number in range(_TINY_A_RECORD)]
    body = gzip.compress(export([LogRecord(attributes=attributes)] * (effort.names // _TINY_A_RECORD)), 1)
    return posts(target.otlp_http, effort, body, export_headers(target.ingest_keys[0], encoding="gzip"))


@ATTACKS.add("tiny attributes in JSON", "a third of that in JSON", "200", also=TOO_SLOW)
def tiny_attributes_in_json(target: Target, effort: Effort) -> Act:
    """Sends a third of the tiny attributes as 16 MiB of JSON. The decoder makes an object of each part."""
    attributes = [{"key": f"{number:02}", "value": {"intValue": "1"}} for number in range(_TINY_A_RECORD)]
    record = json.dumps({"attributes": attributes}, separators=(",", ":"))
    records = ",".join([record] * (effort.names // _TINY_A_RECORD // 3))
    body = gzip.compress(f'{{"resourceLogs":[{{"scopeLogs":[{{"logRecords":[{records}]}}]}}]}}'.encode(), 1)
    return posts(target.otlp_http, effort, body, export_headers(target.ingest_keys[0], JSON, "gzip"))


@ATTACKS.add(
    "a long resource",
    "60,000 records of one resource of 4 KB: 240 MB of rows in a request of 1 MB",
    "200",
    also=TOO_SLOW,
)
def long_resource(target: Target, effort: Effort) -> Act:
    """Sends small records of one resource with a long attribute. Their rows are many times as large as the request."""
    attribute = KeyValue(key="long", value=AnyValue(string_value="x" * _RESOURCE_BYTES))
    records = [LogRecord(body=AnyValue(string_value="short"))] * effort.rows
    logs = ResourceLogs(resource=Resource(attributes=[attribute]), scope_logs=[ScopeLogs(log_records=records)])
    body = ExportLogsServiceRequest(resource_logs=[logs]).SerializeToString()
    few = dataclasses.replace(effort, requests=min(effort.requests, _LONG_REQUESTS))
    return posts(target.otlp_http, few, body, export_headers(target.ingest_keys[0]))


@ATTACKS.add("texts that are not UTF-8", "in bodies, names and values", "200")
def not_utf8(target: Target, effort: Effort) -> Act:
    attribute = KeyValue(key=f"name {_PLACE}", value=AnyValue(string_value=f"value {_PLACE}"))
    records = [LogRecord(body=AnyValue(string_value=f"text {_PLACE}"), attributes=[attribute])] * 100
    body = export(records).replace(_PLACE.encode(), _NOT_UTF8)
    return posts(target.otlp_http, effort, body, export_headers(target.ingest_keys[0]))


def export(records: Sequence[LogRecord]) -> bytes:
    """Returns an encoded request with these records, all of one scope."""
    logs = ResourceLogs(scope_logs=[ScopeLogs(log_records=records)])
    return ExportLogsServiceRequest(resource_logs=[logs]).SerializeToString()


def _attribute(name: str) -> KeyValue:
    return KeyValue(key=name, value=AnyValue(int_value=1))
