"""Tests that OTLP over HTTP and gRPC, searches and live tails work through nginx with deploy/nginx/logsieve.conf."""

import re
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import grpc
import httpx2
import pytest
import trustme
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest, ExportLogsServiceResponse
from opentelemetry.proto.common.v1.common_pb2 import AnyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, ResourceLogs, ScopeLogs

from kit.folders import PACKAGES
from kit.settings import Settings
from tests import otlp
from tests.api.tail_client import TailClient
from tests.eventually import eventually
from tests.running_stack import Stack
from tests.stack.nginx import CONFIGURATION, Nginx, nginx, trusting
from tests.tls.certificates import write_authority, write_certificate

OFFSET = 10_000
"""Port offset of the processes to which the file forwards."""
EXPORT = "/opentelemetry.proto.collector.logs.v1.LogsService/Export"


@dataclass(frozen=True, slots=True)
class Front:
    """The stack, nginx in front of it, and the file of the authority that clients must trust."""

    nginx: Nginx
    authority: Path
    stack: Stack

    def url(self, port: int, path: str) -> str:
        return f"https://localhost:{self.nginx.ports[port]}{path}"

    def client(self, key: str) -> httpx2.Client:
        """Returns an HTTP client with this key. It waits up to 30 s for each piece of an answer."""
        headers = {"Authorization": f"Bearer {key}"}
        return httpx2.Client(verify=trusting(self.authority), headers=headers, timeout=30)


@pytest.fixture(scope="module")
def front(stack: Stack, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Front]:
    folder = tmp_path_factory.mktemp("nginx")
    authority = trustme.CA()
    certificate = write_certificate(folder, "front", authority.issue_cert("localhost", "127.0.0.1"))
    settings = stack.settings
    ports = (settings.otlp_grpc_port, settings.otlp_http_port, settings.api_port)
    with nginx(folder, certificate, {OFFSET + port: settings.port(port) for port in ports}) as running:
        yield Front(running, write_authority(folder, "authority", authority), stack)


def found(front: Front, words: str) -> list[str]:
    with front.client(front.stack.keys.query_key) as client:
        answer = client.get(front.url(443, "/api/v1/logs/search"), params={"query": words})
        assert answer.status_code == 200, answer.text
        return [each["body"] for each in answer.json()["logs"]]


def test_the_upstreams_are_our_ports() -> None:
    settings = Settings(port_offset=OFFSET)

    assert f"LOGSIEVE_PORT_OFFSET={OFFSET}\n" in (PACKAGES / "deploy" / "systemd" / "logsieve.env").read_text()
    assert re.findall(r"server 127\.0\.0\.1:(\d+);", CONFIGURATION.read_text()) == [
        str(settings.port(settings.otlp_grpc_port)),
        str(settings.port(settings.otlp_http_port)),
        str(settings.port(settings.api_port)),
    ]


def test_bodies_may_be_as_large_as_those_that_logsieve_takes() -> None:
    mebibytes = [int(each) * 2**20 for each in re.findall(r"client_max_body_size (\d+)m;", CONFIGURATION.read_text())]

    assert mebibytes[0] == mebibytes[1] > Settings().request_max_bytes


def test_logs_sent_over_http_are_found(front: Front) -> None:
    marker = uuid.uuid4().hex
    with front.client(front.stack.keys.ingest_key) as client:
        body = otlp.request(otlp.record(f"{marker} over http"))
        answer = client.post(front.url(4318, "/v1/logs"), json=body)
    assert answer.status_code == 200, answer.text

    eventually(lambda: found(front, marker) == [f"{marker} over http"], "the record is found")


def test_logs_sent_over_grpc_are_found(front: Front) -> None:
    marker = uuid.uuid4().hex
    record = LogRecord(time_unix_nano=time.time_ns(), body=AnyValue(string_value=f"{marker} over grpc"))
    request = ExportLogsServiceRequest(resource_logs=[ResourceLogs(scope_logs=[ScopeLogs(log_records=[record])])])
    credentials = grpc.ssl_channel_credentials(front.authority.read_bytes())
    with grpc.secure_channel(f"localhost:{front.nginx.ports[4317]}", credentials) as channel:
        call: grpc.UnaryUnaryMultiCallable[ExportLogsServiceRequest, ExportLogsServiceResponse] = channel.unary_unary(
            EXPORT,
            request_serializer=ExportLogsServiceRequest.SerializeToString,
            response_deserializer=ExportLogsServiceResponse.FromString,
        )
        metadata = (("authorization", f"Bearer {front.stack.keys.ingest_key}"),)
        call(request, metadata=metadata, timeout=30)
        with pytest.raises(grpc.RpcError) as refused:
            call(request, timeout=30)
    assert cast(grpc.Call, refused.value).code() is grpc.StatusCode.UNAUTHENTICATED

    eventually(lambda: found(front, marker) == [f"{marker} over grpc"], "the record is found")


def test_a_live_tail_is_not_held_back(front: Front) -> None:
    marker = uuid.uuid4().hex
    with (
        front.client(front.stack.keys.query_key) as client,
        client.stream("GET", front.url(443, "/api/v1/logs/tail"), params={"query": marker}) as answer,
    ):
        assert answer.status_code == 200
        tail = TailClient(answer)
        # A proxy that first fills a buffer would not pass on events this small.
        assert tail.next().name == "open"
        for number in range(3):
            sent = otlp.send(
                front.stack.otlp_http_url, front.stack.keys.ingest_key, otlp.request(otlp.record(f"{marker} {number}"))
            )
            assert sent.status_code == 200
            (event,) = tail.logs(1)
            assert event.data is not None
            assert event.data["body"] == f"{marker} {number}"


def test_words_of_searches_are_not_logged(front: Front) -> None:
    marker = uuid.uuid4().hex
    assert found(front, marker) == []
    with front.client(front.stack.keys.query_key) as client:
        client.get(front.url(443, f"/{marker}"))

    def logged() -> str:
        return front.nginx.access_log.read_text()

    eventually(lambda: f'"GET /{marker} ' in logged(), "the later request is logged")
    assert '"GET /api/v1/logs/search ' in logged()
    assert logged().count(marker) == 1


def test_metrics_and_probes_stay_inside(front: Front) -> None:
    """Tests that nginx does not forward requests for metrics and readiness."""
    with front.client(front.stack.keys.query_key) as client:
        assert client.get(front.url(443, "/")).status_code == 200
        for port in (443, 4318):
            assert {client.get(front.url(port, path)).status_code for path in ("/metrics", "/readyz")} == {404}, port
