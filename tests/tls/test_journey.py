"""Tests that sending, searching and tailing work with TLS on all connections: OTLP, REST, Kafka, ClickHouse."""

import json
from pathlib import Path

import grpc
import httpx2
import trustme
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2_grpc import LogsServiceStub
from opentelemetry.proto.common.v1.common_pb2 import AnyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, ResourceLogs, ScopeLogs

from kit.clickhouse import connect
from kit.settings import Settings
from schema.clickhouse.tables import table_name
from tests.eventually import eventually
from tests.forked_module import run_module
from tests.running_stack import stack_environment
from tests.tls.certificates import write_certificate
from tests.tls.conftest import WAIT_SECONDS, Secured, Stores


def send(secured: Secured, client: httpx2.Client, text: str) -> None:
    """Sends one log by OTLP over HTTP. Fails if it is not accepted."""
    body = {"resourceLogs": [{"scopeLogs": [{"logRecords": [{"body": {"stringValue": text}}]}]}]}
    headers = {"authorization": f"Bearer {secured.stack.keys.ingest_key}"}
    answer = client.post(secured.stack.otlp_http_url, json=body, headers=headers)
    assert answer.status_code == 200, answer.text


def found(client: httpx2.Client, word: str) -> list[str]:
    """Waits until a search for the word finds logs, and returns their bodies."""
    bodies: list[str] = []

    def search() -> bool:
        answer = client.get("logs/search", params={"query": word})
        assert answer.status_code == 200, answer.text
        bodies[:] = [log["body"] for log in answer.json()["logs"]]
        return bodies != []

    eventually(search, f"a search for {word} finds logs", WAIT_SECONDS)
    return bodies


def command(secured: Secured, *arguments: str) -> str:
    """Runs a command and returns its output. Fails if the command fails."""
    environment = stack_environment(secured.stack.home, secured.stack.settings.port_offset, secured.variables)
    done = run_module(("stack", *arguments), environment, 2 * WAIT_SECONDS)
    assert done.returncode == 0, done.stderr + done.stdout
    return done.stdout


def test_every_address_of_the_summary_is_https(secured: Secured) -> None:
    stack = secured.stack
    urls = (stack.ui_url, stack.api_url, stack.otlp_http_url, stack.clickhouse_url)
    assert {url.partition(":")[0] for url in urls} == {"https"}


def test_logs_sent_over_http_are_found(secured: Secured, client: httpx2.Client) -> None:
    send(secured, client, "securehttp one")

    assert found(client, "securehttp") == ["securehttp one"]


def test_logs_sent_over_grpc_are_found(secured: Secured, client: httpx2.Client, stores: Stores) -> None:
    record = LogRecord(body=AnyValue(string_value="securegrpc one"))
    request = ExportLogsServiceRequest(resource_logs=[ResourceLogs(scope_logs=[ScopeLogs(log_records=[record])])])
    credentials = grpc.ssl_channel_credentials(
        stores.authority.cert_pem.bytes(), stores.client.key.read_bytes(), stores.client.chain.read_bytes()
    )
    with grpc.secure_channel(secured.stack.otlp_grpc_endpoint, credentials) as channel:
        LogsServiceStub(channel).Export(  # type: ignore[no-untyped-call]
            request, metadata=[("authorization", f"Bearer {secured.stack.keys.ingest_key}")], timeout=WAIT_SECONDS
        )

    assert found(client, "securegrpc") == ["securegrpc one"]


def test_own_logs_arrive_where_clients_must_show_certificates(secured: Secured, stores: Stores) -> None:
    """Tests that the stack's own logs arrive. (Without its sample logs, the stack would not have started.)"""
    settings = Settings.model_validate(
        {"home": secured.stack.home}
        | {name.removeprefix("LOGSIEVE_").lower(): value for name, value in stores.variables().items()}
    )

    def own_lines() -> bool:
        with connect(settings) as store:
            lanes = " UNION ALL ".join(
                f"SELECT count() AS lines FROM {table_name(lane)} WHERE service = 'logsieve-loader'"
                for lane in range(settings.lanes)
            )
            return int(store.query(f"SELECT sum(lines) FROM ({lanes})").result_rows[0][0]) > 0

    eventually(own_lines, "a line of the loader is stored", WAIT_SECONDS)


def test_a_tail_shows_what_arrives(secured: Secured, client: httpx2.Client) -> None:
    with client.stream("GET", "logs/tail", params={"query": "securetail"}) as answer:
        assert answer.status_code == 200
        lines = answer.iter_lines()
        next(line for line in lines if line.startswith("event: open"))
        send(secured, client, "securetail one")
        shown = next(line for line in lines if line.startswith("data: ") and "securetail" in line)

    assert "securetail one" in shown


def test_commands_of_the_stack_use_tls_everywhere(secured: Secured) -> None:
    """Tests commands that connect to the REST API, to ClickHouse, to Kafka, and to all of them."""
    assert command(secured, "logs", "search", "--since", "7d", "--json")
    assert command(secured, "index", "show", "--json")
    command(secured, "dead", "list")
    command(secured, "migrate", "--check")
    findings = json.loads(command(secured, "doctor", "--json"))
    assert {"clickhouse", "kafka", "loaders' lag"} <= {finding["about"] for finding in findings}


def test_a_certificate_that_changes_for_the_worse_loses_nothing(
    secured: Secured, client: httpx2.Client, stores: Stores, tmp_path: Path
) -> None:
    """Tests that logs are kept while ClickHouse serves a certificate of another authority or for another host."""
    readyz = httpx2.URL(secured.stack.api_url).copy_with(path="/readyz")
    loader = f"http://127.0.0.1:{secured.stack.settings.port(secured.stack.settings.loader_port)}/readyz"

    def refused(setting: str) -> bool:
        reasons = [str(client.get(url).json()["checks"]["clickhouse"]) for url in (readyz, loader)]
        return all(setting in reason for reason in reasons)

    wrong = {
        "LOGSIEVE_CLICKHOUSE_CA_FILE": trustme.CA().issue_cert("localhost"),
        "LOGSIEVE_CLICKHOUSE_URL": stores.authority.issue_cert("other.example"),
    }
    try:
        for setting, made in wrong.items():
            stores.clickhouse.show(write_certificate(tmp_path, "wrong", made))
            send(secured, client, f"securekept {setting}")
            eventually(lambda setting=setting: refused(setting), f"both name {setting}", WAIT_SECONDS)  # type: ignore[misc]
            searched = client.get("logs/search", params={"query": "securekept"})
            assert searched.status_code == 503
            assert setting in searched.json()["detail"]
    finally:
        stores.clickhouse.show(stores.certificate)

    eventually(lambda: client.get(readyz).status_code == 200, "searches work again", WAIT_SECONDS)
    eventually(lambda: len(found(client, "securekept")) == 2, "both logs are found", WAIT_SECONDS)
    assert sorted(found(client, "securekept")) == sorted(f"securekept {setting}" for setting in wrong)
