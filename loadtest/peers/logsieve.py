"""A side of the comparison: Logsieve, as `logsieve up` starts it. Questions are searches and histograms over REST."""

import json
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from clickhouse_connect.driver.client import Client

from kit.clickhouse import connect
from loadtest.bench import Bench
from loadtest.corpus.records import NUMBER
from loadtest.own_stack import OwnStack, Sender
from loadtest.peers.connection import Address, Connection
from loadtest.peers.corpus import PeerCorpus
from loadtest.peers.program import disk_bytes
from loadtest.peers.questions import PAGE, Answer, Kind, Question, buckets, groups, nanoseconds
from loadtest.peers.ratios import OURS
from loadtest.peers.side import Side, Stored
from loadtest.services import PIPELINE
from schema.clickhouse.index_profiles import Profile
from schema.clickhouse.tables import table_name


@dataclass(frozen=True, slots=True, kw_only=True)
class Logsieve(Side):
    """A running stack with one tenant. The loader inserts each batch after half a second."""

    name: ClassVar[str] = OURS
    stack: OwnStack
    sender: Sender
    client: Client

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
        headers = {"authorization": f"Bearer {stack.query_key(sender.tenant)}"}
        rest = Address(stack.settings.bind_host, stack.settings.port(stack.settings.api_port), headers)
        with closing(Connection(rest)) as http:
            yield Logsieve(
                version=f"{bench.commit or 'no commit'}, ClickHouse {client.server_version}",
                otlp=(Address(*stack.otlp_http, {"authorization": f"Bearer {sender.ingest_key}"}), "/v1/logs"),
                pids={name: stack.services.pid(name) for name in (*PIPELINE, "api")},
                http=http,
                corpus=corpus,
                stack=stack,
                sender=sender,
                client=client,
            )
