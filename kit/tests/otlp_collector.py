"""A collector on a real loopback socket that keeps the OTLP requests it gets."""

import gzip
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import (
    ExportLogsPartialSuccess,
    ExportLogsServiceRequest,
    ExportLogsServiceResponse,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord


class Collector(ThreadingHTTPServer):
    """Answers every request with `status`, and says that `rejected` records of it were refused."""

    daemon_threads = True

    def __init__(self, status: int = 200, rejected: int = 0) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.status = status
        self.rejected = rejected
        self.requests: list[ExportLogsServiceRequest] = []
        self.traces: list[ExportTraceServiceRequest] = []
        self.keys: list[str | None] = []

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    @property
    def records(self) -> list[LogRecord]:
        return [
            record
            for request in self.requests
            for resource in request.resource_logs
            for scope in resource.scope_logs
            for record in scope.log_records
        ]

    @property
    def bodies(self) -> list[str]:
        return [record.body.string_value for record in self.records]


class _Handler(BaseHTTPRequestHandler):
    server: Collector

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        if self.headers.get("content-encoding") == "gzip":
            body = gzip.decompress(body)
        if self.path == "/v1/traces":
            self.server.traces.append(ExportTraceServiceRequest.FromString(body))
        elif self.path == "/v1/logs":
            self.server.requests.append(ExportLogsServiceRequest.FromString(body))
        else:
            self.send_error(404)
            return
        self.server.keys.append(self.headers.get("authorization"))
        answer = ExportLogsServiceResponse()
        if self.server.rejected:
            answer.partial_success.CopyFrom(
                ExportLogsPartialSuccess(rejected_log_records=self.server.rejected, error_message="too old")
            )
        self.send_response(self.server.status)
        self.send_header("content-type", "application/x-protobuf")
        payload = answer.SerializeToString()
        self.send_header("content-length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)

    def log_message(self, format: str, *args: object) -> None:
        """Logs nothing. Tests read `requests`."""


@contextmanager
def collecting(status: int = 200, rejected: int = 0) -> Iterator[Collector]:
    """Yields a running collector."""
    with Collector(status, rejected) as collector:
        thread = threading.Thread(target=collector.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield collector
        finally:
            collector.shutdown()
            thread.join()
