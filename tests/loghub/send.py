"""Sends lines like an application, with the official OpenTelemetry SDK over gRPC or HTTP."""

from collections.abc import Sequence
from itertools import groupby

from opentelemetry._logs import LogRecord, SeverityNumber
from opentelemetry.exporter.otlp.proto.grpc._log_exporter import OTLPLogExporter as GrpcExporter
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter as HttpExporter
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor, LogRecordExporter
from opentelemetry.sdk.resources import Resource

from tests.loghub.lines import Line
from tests.running_stack import Stack


def send_lines(stack: Stack, key: str, lines: Sequence[Line], first_ns: int) -> None:
    """Sends lines with one provider for each service. The services alternate between gRPC and HTTP."""
    for number, (service, group) in enumerate(groupby(lines, key=lambda line: line.service)):
        exporter = _grpc(stack, key) if number % 2 == 0 else _http(stack, key)
        provider = LoggerProvider(
            Resource({"service.name": service, "host.name": f"host-{number}"}), shutdown_on_exit=False
        )
        provider.add_log_record_processor(
            BatchLogRecordProcessor(exporter, max_queue_size=4096, max_export_batch_size=512)
        )
        logger = provider.get_logger("loghub", "1.0")
        for line in group:
            logger.emit(
                LogRecord(
                    timestamp=first_ns + offset_ns(line.number),
                    severity_number=SeverityNumber(line.severity or 0),
                    severity_text=line.severity.name.upper() if line.severity else None,
                    body=line.text,
                    attributes={"line": line.number, "log.file.name": f"{service}.log", "odd": line.number % 2 == 1},
                )
            )
        assert provider.force_flush(60_000), f"{service}: not everything was acknowledged"
        provider.shutdown()


def offset_ns(number: int) -> int:
    """Returns the time of a line after the first timestamp. Groups of three successive lines have the same one."""
    return (number - number % 3) * 1_000_003


def _grpc(stack: Stack, key: str) -> LogRecordExporter:
    return GrpcExporter(endpoint=stack.otlp_grpc_endpoint, insecure=True, headers=(("authorization", f"Bearer {key}"),))


def _http(stack: Stack, key: str) -> LogRecordExporter:
    return HttpExporter(endpoint=stack.otlp_http_url, headers={"authorization": f"Bearer {key}"})
