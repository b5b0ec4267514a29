"""Makes an OTLP export request from log records."""

from collections.abc import Sequence

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, InstrumentationScope, KeyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, ResourceLogs, ScopeLogs
from opentelemetry.proto.resource.v1.resource_pb2 import Resource


def export_request(records: Sequence[LogRecord], pod: int, service: str = "loadtest") -> bytes:
    """Returns a request as protobuf bytes. All its records have one resource, that of pod number `pod` of `service`."""
    resource = {
        "service.name": service,
        "service.version": "1.0.0",
        "service.instance.id": f"{service}-{pod}",
        "host.name": f"node-{pod % 4}.example.com",
        "deployment.environment.name": "benchmark",
    }
    logs = ResourceLogs(
        resource=Resource(
            attributes=[KeyValue(key=key, value=AnyValue(string_value=value)) for key, value in resource.items()]
        ),
        scope_logs=[ScopeLogs(scope=InstrumentationScope(name="loadtest", version="1.0.0"), log_records=records)],
    )
    return ExportLogsServiceRequest(resource_logs=[logs]).SerializeToString()
