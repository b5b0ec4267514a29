"""Makes Kafka messages of a tenant, in the form in which the receiver writes them."""

from collections.abc import Sequence

from confluent_kafka import Message
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, ResourceLogs, ScopeLogs
from opentelemetry.proto.resource.v1.resource_pb2 import Resource

from schema.envelope import Envelope

BODY_MAX_BYTES = 2**16


def message_of(
    tenant_id: int, bodies: Sequence[str], partition: int = 0, offset: int = 0, resource_text: str = ""
) -> Message:
    """Returns a message with one record for each body. All records have a resource with an attribute of this text."""
    records = [LogRecord(time_unix_nano=10**18 + n, body=AnyValue(string_value=each)) for n, each in enumerate(bodies)]
    resource = Resource(attributes=[KeyValue(key="text", value=AnyValue(string_value=resource_text))])
    logs = ResourceLogs(resource=resource, scope_logs=[ScopeLogs(log_records=records)])
    return raw_message(tenant_id, ExportLogsServiceRequest(resource_logs=[logs]).SerializeToString(), partition, offset)


def raw_message(tenant_id: int, value: bytes, partition: int = 0, offset: int = 0) -> Message:
    """Returns a message with this value."""
    headers = Envelope(tenant_id, 0, "r30", BODY_MAX_BYTES, 10**18).headers()
    return Message(partition=partition, offset=offset, headers=headers, value=value)
