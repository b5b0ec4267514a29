"""The stack over TLS: its own health checks, samples and commands, and clients that send, search and tail."""

import os
import ssl
import time
from collections.abc import Iterator
from pathlib import Path

import grpc
import httpx2
import pytest
import trustme
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2_grpc import LogsServiceStub
from opentelemetry.proto.common.v1.common_pb2 import AnyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, ResourceLogs, ScopeLogs

from tests.running_stack import Stack, logsieve, start_stack, stop_stack

WAIT_SECONDS = 60.0


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, authority: trustme.CA) -> Path:
    """Holds the certificate."""
    folder = tmp_path_factory.mktemp("certificate")
    made = authority.issue_cert("localhost", "127.0.0.1")
    made.cert_chain_pems[0].write_to_path(str(folder / "chain.pem"))
    made.private_key_pem.write_to_path(str(folder / "key.pem"))
    os.chmod(folder / "key.pem", 0o600)
    return folder


@pytest.fixture(scope="module")
def secured(tmp_path_factory: pytest.TempPathFactory, folder: Path) -> Iterator[Stack]:
    """With the samples, which the stack sends itself."""
    home: Path = tmp_path_factory.mktemp("secured") / "home"
    try:
        yield start_stack(
            home,
            LOGSIEVE_TLS_CERT_FILE=str(folder / "chain.pem"),
            LOGSIEVE_TLS_KEY_FILE=str(folder / "key.pem"),
            LOGSIEVE_CONTROL_REFRESH_SECONDS="0.2",
        )
    finally:
        stop_stack(home)


@pytest.fixture(scope="module")
def client(secured: Stack, authority: trustme.CA) -> Iterator[httpx2.Client]:
    context = ssl.create_default_context()
    authority.configure_trust(context)
    headers = {"authorization": f"Bearer {secured.keys.query_key}"}
    with httpx2.Client(base_url=f"{secured.api_url}/", verify=context, headers=headers, timeout=WAIT_SECONDS) as made:
        yield made


def found(client: httpx2.Client, word: str) -> list[str]:
    deadline = time.monotonic() + WAIT_SECONDS
    while time.monotonic() < deadline:
        answer = client.get("logs/search", params={"query": word})
        assert answer.status_code == 200, answer.text
        if logs := answer.json()["logs"]:
            return [log["body"] for log in logs]
        time.sleep(0.2)
    return []


def test_every_address_of_the_summary_is_https(secured: Stack) -> None:
    assert {url.partition(":")[0] for url in (secured.ui_url, secured.api_url, secured.otlp_http_url)} == {"https"}


def test_logs_sent_over_http_are_found(secured: Stack, client: httpx2.Client) -> None:
    body = {"resourceLogs": [{"scopeLogs": [{"logRecords": [{"body": {"stringValue": "securehttp one"}}]}]}]}
    headers = {"authorization": f"Bearer {secured.keys.ingest_key}"}
    assert client.post(secured.otlp_http_url, json=body, headers=headers).status_code == 200

    assert found(client, "securehttp") == ["securehttp one"]


def test_logs_sent_over_grpc_are_found(secured: Stack, client: httpx2.Client, authority: trustme.CA) -> None:
    record = LogRecord(body=AnyValue(string_value="securegrpc one"))
    request = ExportLogsServiceRequest(resource_logs=[ResourceLogs(scope_logs=[ScopeLogs(log_records=[record])])])
    credentials = grpc.ssl_channel_credentials(authority.cert_pem.bytes())
    with grpc.secure_channel(secured.otlp_grpc_endpoint, credentials) as channel:
        LogsServiceStub(channel).Export(  # type: ignore[no-untyped-call]
            request, metadata=[("authorization", f"Bearer {secured.keys.ingest_key}")], timeout=WAIT_SECONDS
        )

    assert found(client, "securegrpc") == ["securegrpc one"]


def test_a_tail_shows_what_arrives(secured: Stack, client: httpx2.Client) -> None:
    body = {"resourceLogs": [{"scopeLogs": [{"logRecords": [{"body": {"stringValue": "securetail one"}}]}]}]}
    headers = {"authorization": f"Bearer {secured.keys.ingest_key}"}

    with client.stream("GET", "logs/tail", params={"query": "securetail"}) as answer:
        assert answer.status_code == 200
        lines = answer.iter_lines()
        next(line for line in lines if line.startswith("event: open"))
        assert client.post(secured.otlp_http_url, json=body, headers=headers).status_code == 200
        shown = next(line for line in lines if line.startswith("data: ") and "securetail" in line)

    assert "securetail one" in shown


def test_commands_trust_the_stack_they_belong_to(secured: Stack, folder: Path) -> None:
    certificate = {"LOGSIEVE_TLS_CERT_FILE": str(folder / "chain.pem")}
    arguments = ("logs", "search", "--since", "7d", "--json")
    searched = logsieve(secured.home, secured.settings.port_offset, *arguments, seconds=WAIT_SECONDS, **certificate)

    assert searched.returncode == 0, searched.stderr
    assert searched.stdout
