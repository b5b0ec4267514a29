"""A side of the comparison: the OpenTelemetry Collector with its ClickHouse exporter and the table that it creates.

Questions are SQL over HTTP. ClickHouse is the same version that Logsieve runs on, in a separate process with the same
configuration.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final
from urllib.parse import urlsplit

from kit.clickhouse import connect
from kit.free_ports import free_ports
from loadtest.bench import Bench
from loadtest.corpus.records import NUMBER
from loadtest.own_stack import own_stack
from loadtest.peers.answers import COLLECTOR
from loadtest.peers.connection import Address, Connection, metric_sums
from loadtest.peers.corpus import BUCKET_NS, PeerCorpus
from loadtest.peers.program import configured, running, version
from loadtest.peers.questions import PAGE, Answer, Kind, Question, buckets, groups
from loadtest.peers.side import ClickHouseSide
from loadtest.services import CLICKHOUSE

_SECOND_NS: Final = 10**9


@dataclass(frozen=True, slots=True, kw_only=True)
class Collector(ClickHouseSide):
    """A running Collector and its ClickHouse. The exporter sends its batch after a timeout."""

    name: ClassVar[str] = COLLECTOR
    attributes: ClassVar[str] = "LogAttributes"
    own: Connection
    """Connection to the Collector's own metrics."""

    def working(self) -> bool:
        accepted, *done = metric_sums(
            self.own,
            "otelcol_receiver_accepted_log_records",
            "otelcol_exporter_sent_log_records",
            "otelcol_exporter_send_failed_log_records",
        )
        # A dataclass with slots has no super().
        return accepted > sum(done) or ClickHouseSide.working(self)

    def fetch(self, question: Question) -> bytes:
        seconds = f"toStartOfInterval(Timestamp, INTERVAL {BUCKET_NS // _SECOND_NS} SECOND)"
        what, rest = {
            Kind.page: ("*", f"ORDER BY Timestamp DESC LIMIT {PAGE}"),
            Kind.count: (f"toUnixTimestamp({seconds}) AS start, count() AS records", "GROUP BY start"),
            Kind.group: ("ServiceName, count() AS records", "GROUP BY ServiceName"),
        }[question.kind]
        start, end = self.corpus.start_ns, self.corpus.end_ns
        # TimestampTime is the time in the table's key.
        where = (
            f"({question.collector}) AND TimestampTime >= toDateTime({start // _SECOND_NS})"
            f" AND TimestampTime < toDateTime({end // _SECOND_NS})"
            f" AND Timestamp >= fromUnixTimestamp64Nano({start}) AND Timestamp < fromUnixTimestamp64Nano({end})"
        )
        return self.http.get("/", {"query": f"SELECT {what} FROM {self.rows} WHERE {where} {rest} FORMAT JSONEachRow"})

    def read(self, question: Question, answer: bytes) -> Answer:
        rows = [json.loads(line) for line in answer.splitlines()]
        if question.kind is Kind.page:
            return tuple(int(row["LogAttributes"][NUMBER]) for row in rows)
        if question.kind is Kind.group:
            return groups(row["records"] for row in rows)
        return buckets(self.corpus, ((int(row["start"]) * _SECOND_NS, row["records"]) for row in rows))


@contextmanager
def collector(bench: Bench, program: Path, folder: Path, corpus: PeerCorpus) -> Iterator[Collector]:
    """Starts ClickHouse and the Collector, and ends both after the block. Raises Internal if one does not run."""
    offset = bench.port_offset()
    with own_stack(offset, (CLICKHOUSE,), bench.say) as stack, connect(stack.settings, "default") as client:
        port, metrics_port = free_ports(2)
        user, password = stack.settings.clickhouse_user, stack.settings.clickhouse_secret
        values = {
            "port": port,
            "metrics_port": metrics_port,
            "clickhouse_port": stack.settings.port(stack.settings.clickhouse_native_port),
            "user": user,
            "password": password,
        }
        command = [str(program), "--config", configured("collector.yaml", folder, values)]
        url = urlsplit(stack.settings.clickhouse_http_url)
        clickhouse = Address(
            url.hostname or "127.0.0.1", url.port or 80, {"X-ClickHouse-User": user, "X-ClickHouse-Key": password}
        )
        receiver = Address("127.0.0.1", port)
        with (
            Connection(Address("127.0.0.1", metrics_port)) as own,
            Connection(clickhouse) as http,
            Connection(receiver) as otlp,
            # The Collector listens after the exporter has created its table.
            running(command, folder, lambda: otlp.post("/v1/logs", b"")) as pid,
        ):
            yield Collector(
                version=f"{version(program, '--version')}, ClickHouse {client.server_version}",
                otlp=(receiver, "/v1/logs"),
                pids={"collector": pid, CLICKHOUSE: stack.services.pid(CLICKHOUSE)},
                http=http,
                corpus=corpus,
                client=client,
                database="otel",
                rows="otel.otel_logs",
                own=own,
            )
