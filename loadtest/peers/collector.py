"""A side of the comparison: the OpenTelemetry Collector with its ClickHouse exporter and the table that it creates.

Questions are SQL over HTTP. ClickHouse is the same version that Logsieve runs on, in a separate process with the same
configuration.
"""

import json
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final
from urllib.parse import urlsplit

from clickhouse_connect.driver.client import Client

from kit.clickhouse import connect
from kit.free_ports import free_ports
from kit.settings import Settings
from loadtest.bench import Bench
from loadtest.corpus.records import NUMBER
from loadtest.own_stack import own_stack
from loadtest.peers.connection import Address, Connection, metrics, total
from loadtest.peers.corpus import BUCKET_NS, PeerCorpus
from loadtest.peers.program import configured, running, version, wait_until_ready
from loadtest.peers.questions import PAGE, Answer, Kind, Question, buckets, groups
from loadtest.peers.side import Side, Stored
from loadtest.services import CLICKHOUSE

NAME: Final = "Collector + exporter"
_OFFSET: Final = 300
"""Difference between the port offsets of this ClickHouse and of Logsieve's stack."""
_SECOND_NS: Final = 10**9
_TABLE: Final = "otel.otel_logs"


@dataclass(frozen=True, slots=True, kw_only=True)
class Collector(Side):
    """A running Collector and its ClickHouse. The exporter sends its batch after a timeout."""

    name: ClassVar[str] = NAME
    own: Connection
    """Connection to the Collector's own metrics."""
    client: Client

    def count(self) -> int:
        return self._number(f"SELECT count() FROM {_TABLE}")

    def working(self) -> bool:
        now = metrics(self.own)
        accepted = total(now, "otelcol_receiver_accepted_log_records")
        done = total(now, "otelcol_exporter_sent_log_records") + total(now, "otelcol_exporter_send_failed_log_records")
        return accepted > done or self._number("SELECT count() FROM system.merges WHERE database = 'otel'") > 0

    def stored(self, sent: int) -> Stored:
        records = self.count()
        numbers = self._number(f"SELECT uniqExact(LogAttributes['{NUMBER}']) FROM {_TABLE}")
        return Stored(records, sent - numbers, records - numbers)

    def disk(self) -> int:
        return self._number("SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND database = 'otel'")

    def fetch(self, question: Question) -> bytes:
        seconds = f"toStartOfInterval(Timestamp, INTERVAL {BUCKET_NS // _SECOND_NS} SECOND)"
        what, rest = {
            Kind.page: ("*", f"ORDER BY Timestamp DESC LIMIT {PAGE}"),
            Kind.count: (f"toUnixTimestamp({seconds}) AS start, count() AS records", "GROUP BY start"),
            Kind.group: ("ServiceName, count() AS records", "GROUP BY ServiceName"),
        }[question.kind]
        sql = f"SELECT {what} FROM {_TABLE} WHERE ({question.collector}) AND {self._span()} {rest} FORMAT JSONEachRow"
        return self.http.get("/", {"query": sql})

    def read(self, question: Question, answer: bytes) -> Answer:
        rows = [json.loads(line) for line in answer.splitlines()]
        if question.kind is Kind.page:
            return tuple(int(row["LogAttributes"][NUMBER]) for row in rows)
        if question.kind is Kind.group:
            return groups(row["records"] for row in rows)
        return buckets(self.corpus, [int(row["start"]) * _SECOND_NS for row in rows], [row["records"] for row in rows])

    def _span(self) -> str:
        """Returns the condition on the corpus's time range, for `Timestamp` and for the key column `TimestampTime`."""
        start, end = self.corpus.start_ns, self.corpus.end_ns
        return (
            f"TimestampTime >= toDateTime({start // _SECOND_NS}) AND TimestampTime < toDateTime({end // _SECOND_NS})"
            f" AND Timestamp >= fromUnixTimestamp64Nano({start}) AND Timestamp < fromUnixTimestamp64Nano({end})"
        )

    def _number(self, sql: str) -> int:
        return int(self.client.query(sql).result_rows[0][0])


@contextmanager
def collector(bench: Bench, program: Path, folder: Path, corpus: PeerCorpus) -> Iterator[Collector]:
    """Starts ClickHouse and the Collector, and ends both after the block. Raises Internal if one does not run."""
    offset = bench.port_offset() + _OFFSET
    with own_stack(offset, (CLICKHOUSE,), bench.say) as stack, connect(stack.settings, "default") as client:
        port, metrics_port = free_ports(2)
        config = folder / "collector.yaml"
        config.touch(mode=0o600)
        config.write_text(configured("collector.yaml", _values(stack.settings, port, metrics_port)))
        with (
            running([str(program), "--config", str(config)], folder) as pid,
            closing(Connection(Address("127.0.0.1", metrics_port))) as own,
            closing(Connection(_clickhouse(stack.settings))) as http,
            closing(Connection(Address("127.0.0.1", port))) as otlp,
        ):
            side = Collector(
                version=f"{version(program, '--version')}, ClickHouse {client.server_version}",
                otlp=(Address("127.0.0.1", port), "/v1/logs"),
                pids={"collector": pid, CLICKHOUSE: stack.services.pid(CLICKHOUSE)},
                own=own,
                http=http,
                client=client,
                corpus=corpus,
            )
            # The Collector listens after the exporter has created its table.
            wait_until_ready(lambda: otlp.post("/v1/logs", b"", "application/x-protobuf"))
            yield side


def _values(settings: Settings, port: int, metrics_port: int) -> dict[str, object]:
    return {
        "port": port,
        "metrics_port": metrics_port,
        "clickhouse_port": settings.port(settings.clickhouse_native_port),
        "user": settings.clickhouse_user,
        "password": settings.clickhouse_secret,
    }


def _clickhouse(settings: Settings) -> Address:
    url = urlsplit(settings.clickhouse_http_url)
    headers = {"X-ClickHouse-User": settings.clickhouse_user, "X-ClickHouse-Key": settings.clickhouse_secret}
    return Address(url.hostname or "127.0.0.1", url.port or 80, headers)
