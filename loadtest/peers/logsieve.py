"""A side of the comparison: Logsieve, as `logsieve up` starts it. Questions are searches and histograms over REST."""

import json
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from clickhouse_connect.driver.client import Client

from kit.clickhouse import connect
from loadtest.bench import Bench
from loadtest.control import create_key
from loadtest.corpus.records import NUMBER
from loadtest.own_stack import OwnStack, Sender
from loadtest.peers.connection import Address, Connection
from loadtest.peers.corpus import PeerCorpus
from loadtest.peers.program import disk_bytes, wait_until_ready
from loadtest.peers.questions import PAGE, Answer, Kind, Question
from loadtest.peers.ratios import OURS
from loadtest.peers.side import Stored
from loadtest.peers.times import buckets, groups, nanoseconds
from loadtest.services import PIPELINE
from schema.clickhouse.index_profiles import Profile
from schema.clickhouse.tables import table_name
from schema.control.models import Purpose


@dataclass(frozen=True, slots=True)
class Logsieve:
    """A running stack with one tenant. For one thread."""

    version: str
    stack: OwnStack
    sender: Sender
    http: Connection
    client: Client
    corpus: PeerCorpus
    name: str = OURS

    def otlp(self) -> tuple[Address, str]:
        headers = {"authorization": f"Bearer {self.sender.ingest_key}"}
        return Address(*self.stack.otlp_http, headers), "/v1/logs"

    def processes(self) -> Mapping[str, int]:
        return {name: self.stack.services.pid(name) for name in (*PIPELINE, "api")}

    def flush(self) -> None:
        """Does nothing, because the loader inserts each batch after half a second."""

    def count(self) -> int:
        return self._of_tenant("count()")

    def working(self) -> bool:
        return self._number("SELECT count() FROM system.merges WHERE database = currentDatabase()") > 0

    def stored(self, sent: int) -> Stored:
        records, numbers = self.count(), self._of_tenant(f"uniqExact(attributes['{NUMBER}'])")
        return Stored(records, sent - numbers, records - numbers)

    def disk(self) -> int:
        return self._number("SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND database = currentDatabase()")

    def queue(self) -> int:
        return disk_bytes(self.stack.home / "kafka")

    def fetch(self, question: Question) -> bytes:
        span = {"start": self.corpus.start_ns, "end": self.corpus.end_ns}
        parameters: dict[str, str | int] = {"query": question.logsieve, **span}
        if question.kind is Kind.page:
            return self.http.get("/api/v1/logs/search", {**parameters, "limit": PAGE})
        if question.kind is Kind.group:
            return self.http.get("/api/v1/logs/stats", parameters)
        return self.http.get("/api/v1/logs/histogram", {**parameters, "buckets": self.corpus.buckets})

    def read(self, question: Question, answer: bytes) -> Answer:
        found = json.loads(answer)
        if question.kind is Kind.page:
            return tuple(int(each["attributes"][NUMBER]) for each in found["logs"])
        if question.kind is Kind.group:
            return groups(row[-1] for row in found["rows"])
        starts = [nanoseconds(each["start"]) for each in found["buckets"]]
        return buckets(self.corpus, starts, [each["total"] for each in found["buckets"]])

    def _of_tenant(self, value: str) -> int:
        table = table_name(self.sender.lane)
        return self._number(f"SELECT {value} FROM {table} WHERE tenant_id = {self.sender.tenant_id}")

    def _number(self, sql: str) -> int:
        return int(self.client.query(sql).result_rows[0][0])


@contextmanager
def logsieve(bench: Bench, profile: Profile, _folder: Path, corpus: PeerCorpus) -> Iterator[Logsieve]:
    """Starts a stack with the index profile in a new folder, and stops it after the block."""
    settings = {"LOGSIEVE_INDEX_PROFILE": profile.value}
    with bench.stack("receiver", "loader", "api", settings=settings) as stack, connect(stack.settings) as client:
        sender = stack.create_sender("peers")
        with closing(Connection(_rest(stack, sender.tenant))) as http:
            wait_until_ready(lambda: http.get("/api/v1/tenant"))
            version = f"{bench.commit or 'no commit'}, ClickHouse {client.server_version}"
            yield Logsieve(version, stack, sender, http, client, corpus)


def _rest(stack: OwnStack, tenant: str) -> Address:
    settings = stack.settings
    key = create_key(settings, tenant, Purpose.query)
    return Address(settings.bind_host, settings.port(settings.api_port), {"authorization": f"Bearer {key}"})
