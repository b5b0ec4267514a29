"""OTLP's JSON as the protobuf message it stands for.

Source: OTLP specification, "JSON Protobuf Encoding": protobuf's JSON mapping, but trace and span ids are hex, not
base64, enums are numbers, and unknown fields are ignored.
"""

from base64 import b64encode
from typing import Any

import orjson
from google.protobuf.json_format import ParseDict, ParseError
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest

from kit.errors import InvalidRequest

_ID_BYTES = {"traceId": 16, "trace_id": 16, "spanId": 8, "span_id": 8}
"""Ids by their JSON names; the protobuf names are taken as well, as by every reader of protobuf's JSON."""


def read_json(body: bytes) -> ExportLogsServiceRequest:
    """Raises InvalidRequest when the text is not JSON, not an export request, or nested too deeply."""
    try:
        document = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise InvalidRequest(f"the body is not JSON: {error}") from None
    if not isinstance(document, dict):
        raise InvalidRequest("the body is not a JSON object")
    for record in _records(document):
        _ids_to_bytes(record)
    request = ExportLogsServiceRequest()
    try:
        ParseDict(document, request, ignore_unknown_fields=True)
    except (ParseError, RecursionError) as error:
        raise InvalidRequest(f"the body is not an OTLP export request: {error}") from None
    return request


def _records(document: dict[str, Any]) -> list[dict[str, Any]]:
    """All objects that stand where log records do. The path is fixed, so a nested body is never walked."""
    level: list[dict[str, Any]] = [document]
    for names in (("resourceLogs", "resource_logs"), ("scopeLogs", "scope_logs"), ("logRecords", "log_records")):
        level = [
            each
            for parent in level
            for name in names
            if isinstance(children := parent.get(name), list)
            for each in children
            if isinstance(each, dict)
        ]
    return level


def _ids_to_bytes(record: dict[str, Any]) -> None:
    """Puts in place of hex ids what protobuf's mapping reads."""
    for name, size in _ID_BYTES.items():
        text = record.get(name)
        if text is None:
            continue
        if not isinstance(text, str) or len(text) not in (0, 2 * size):
            raise InvalidRequest(f"{name} is not {2 * size} hex digits")
        record[name] = _hex_to_base64(name, text)


def _hex_to_base64(name: str, text: str) -> str:
    try:
        return b64encode(bytes.fromhex(text)).decode()
    except ValueError:
        raise InvalidRequest(f"{name} is not hex") from None
