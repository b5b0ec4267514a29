"""A side of the comparison: Logsieve, as `logsieve up` starts it. Questions are searches and histograms over REST."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from backend.times import parse_time
from kit.clickhouse import connect
from loadtest.bench import Bench
from loadtest.corpus.records import NUMBER
from loadtest.peers.answers import OURS
from loadtest.peers.connection import Address, Connection
from loadtest.peers.corpus import BUCKETS, PeerCorpus
from loadtest.peers.questions import PAGE, Answer, Kind, Question, buckets, groups
from loadtest.peers.side import ClickHouseSide
from loadtest.services import API, KAFKA
from schema.clickhouse.index_profiles import Profile
from schema.clickhouse.tables import table_name


@dataclass(frozen=True, slots=True, kw_only=True)
class Logsieve(ClickHouseSide):
    """A running stack with one tenant. The loader inserts each batch after half a second."""

    name: ClassVar[str] = OURS
    attributes: ClassVar[str] = "attributes"
    table: str

    def fetch(self, question: Question) -> bytes:
        span = {"start": self.corpus.start_ns, "end": self.corpus.end_ns}
        parameters: dict[str, str | int] = {"query": question.logsieve, **span}
        if question.kind is Kind.page:
            return self.http.get("/api/v1/logs/search", {**parameters, "limit": PAGE})
        if question.kind is Kind.group:
            return self.http.get("/api/v1/logs/stats", parameters)
        return self.http.get("/api/v1/logs/histogram", {**parameters, "buckets": BUCKETS})

    def read(self, question: Question, answer: bytes) -> Answer:
        found = json.loads(answer)
        if question.kind is Kind.page:
            return tuple(int(each["attributes"][NUMBER]) for each in found["logs"])
        if question.kind is Kind.group:
            return groups(row[-1] for row in found["rows"])
        return buckets(self.corpus, ((parse_time(each["start"], "start"), each["total"]) for each in found["buckets"]))


@contextmanager
def logsieve(bench: Bench, profile: Profile, _folder: Path, corpus: PeerCorpus) -> Iterator[Logsieve]:
    """Starts a stack with the index profile in a new folder, and stops it after the block."""
    settings = {"LOGSIEVE_INDEX_PROFILE": profile.value}
    with bench.stack("receiver", "loader", "api", settings=settings) as stack, connect(stack.settings) as client:
        sender = stack.create_sender("peers")
        headers = {"authorization": f"Bearer {stack.query_key(sender.tenant)}"}
        table, pipeline = table_name(sender.lane), stack.services.pipeline()
        with Connection(Address(*stack.api, headers)) as http:
            yield Logsieve(
                version=f"{bench.commit or 'no commit'}, ClickHouse {client.server_version}",
                otlp=(Address(*stack.otlp_http, {"authorization": f"Bearer {sender.ingest_key}"}), "/v1/logs"),
                pids={name: stack.services.pid(name) for name in (*pipeline, API)},
                http=http,
                corpus=corpus,
                # A broker's folder has the name of its service.
                queues=tuple(stack.home / name for name in pipeline if name.startswith(KAFKA)),
                client=client,
                database=stack.settings.clickhouse_database,
                rows=f"{table} WHERE tenant_id = {sender.tenant_id}",
                table=table,
            )
