"""Tests that any JSON is either refused or makes the same rows as the equivalent request in protobuf."""

import base64

import orjson
from google.protobuf.json_format import MessageToDict
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, ArrayValue, KeyValue, KeyValueList
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, ResourceLogs, ScopeLogs, SeverityNumber
from opentelemetry.proto.resource.v1.resource_pb2 import Resource

from ingest.receiver.otlp_json import read_json
from kit.errors import InvalidRequest
from schema.coordinates import Coordinates
from schema.envelope import Envelope
from schema.otlp import decode_message

NAMES = [
    "resourceLogs", "scopeLogs", "logRecords", "traceId", "trace_id", "spanId", "body", "attributes", "key", "value",
    "stringValue", "intValue", "bytesValue", "arrayValue", "values", "kvlistValue", "severityNumber", "timeUnixNano",
]  # fmt: skip
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=3), inner),
    max_leaves=12,
)


def in_a_request(value: object) -> object:
    return {"resourceLogs": [{"scopeLogs": [{"logRecords": [value]}]}]}


@given(json_values | json_values.map(in_a_request))
def test_any_json_is_read_or_refused(document: object) -> None:
    try:
        read_json(orjson.dumps(document))
    except InvalidRequest:
        return


any_values = st.recursive(
    st.builds(AnyValue, string_value=st.text(max_size=8))
    | st.builds(AnyValue, int_value=st.integers(-(2**63), 2**63 - 1))
    | st.builds(AnyValue, double_value=st.floats(allow_nan=False))
    | st.builds(AnyValue, bool_value=st.booleans())
    | st.builds(AnyValue, bytes_value=st.binary(max_size=8))
    | st.builds(AnyValue),
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda values: AnyValue(array_value=ArrayValue(values=values)))
        | st.lists(st.builds(KeyValue, key=st.text(max_size=3), value=inner), max_size=3).map(
            lambda pairs: AnyValue(kvlist_value=KeyValueList(values=pairs))
        )
    ),
    max_leaves=6,
)
attributes = st.lists(st.builds(KeyValue, key=st.text(max_size=4), value=any_values), max_size=4)
records = st.builds(
    LogRecord,
    time_unix_nano=st.integers(0, 2**64 - 1),
    observed_time_unix_nano=st.integers(0, 2**64 - 1),
    severity_number=st.sampled_from(list(SeverityNumber.values())),
    severity_text=st.text(max_size=5),
    body=any_values,
    attributes=attributes,
    flags=st.integers(0, 2**32 - 1),
    trace_id=st.just(b"") | st.binary(min_size=16, max_size=16),
    span_id=st.just(b"") | st.binary(min_size=8, max_size=8),
    event_name=st.text(max_size=5),
)
requests = st.builds(
    lambda resource, kept: ExportLogsServiceRequest(
        resource_logs=[ResourceLogs(resource=Resource(attributes=resource), scope_logs=[ScopeLogs(log_records=kept)])]
    ),
    attributes,
    st.lists(records, max_size=3),
)


def otlp_json(request: ExportLogsServiceRequest) -> bytes:
    """Returns the request as an OTLP sender writes it: protobuf's JSON with ids in hex and enums as numbers."""
    document = MessageToDict(request, use_integers_for_enums=True)
    for resource_logs in document.get("resourceLogs", []):
        for scope_logs in resource_logs.get("scopeLogs", []):
            for record in scope_logs.get("logRecords", []):
                for name in ("traceId", "spanId"):
                    if name in record:
                        record[name] = base64.b64decode(record[name]).hex()
    return orjson.dumps(document)


@given(requests)
def test_json_and_protobuf_make_the_same_rows(request: ExportLogsServiceRequest) -> None:
    envelope = Envelope(tenant_id=1, lane=0, cohort="r30", body_max_bytes=10, received_at=5)
    at = Coordinates(1, 2, 3)
    from_protobuf = decode_message(request.SerializeToString(), envelope, at)
    from_json = decode_message(read_json(otlp_json(request))[0], envelope, at)
    assert from_json == from_protobuf
