"""A side of the comparison: VictoriaLogs, one process with default settings. Questions are LogsQL over HTTP."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final

from backend.times import parse_time
from kit.free_ports import free_ports
from loadtest.corpus.records import NUMBER
from loadtest.peers.answers import VICTORIA_LOGS
from loadtest.peers.connection import Address, Connection, metric_sums
from loadtest.peers.corpus import BUCKET_NS, PeerCorpus
from loadtest.peers.program import disk_bytes, running, version
from loadtest.peers.questions import PAGE, Answer, Kind, Question, buckets, groups
from loadtest.peers.side import Side

_QUERY: Final = "/select/logsql/query"


@dataclass(frozen=True, slots=True, kw_only=True)
class VictoriaLogs(Side):
    """A running VictoriaLogs, whose data are in the folder `data`. Searches also find records that are in memory."""

    name: ClassVar[str] = VICTORIA_LOGS
    data: Path

    def count(self) -> int:
        return self._number("count()")

    def distinct(self) -> int:
        return self._number(f'count_uniq("{NUMBER}")')

    def working(self) -> bool:
        return sum(metric_sums(self.http, "vl_active_merges", 'vl_storage_rows{type="storage/inmemory"}')) > 0

    def disk(self) -> int:
        return disk_bytes(self.data)

    def fetch(self, question: Question) -> bytes:
        span = {"start": self.corpus.start_ns, "end": self.corpus.end_ns - 1}
        parameters: dict[str, str | int] = {"query": question.victoria_logs, **span}
        if question.kind is Kind.page:
            return self.http.get(_QUERY, {**parameters, "limit": PAGE})
        if question.kind is Kind.group:
            return self.http.get(_QUERY, parameters)
        return self.http.get("/select/logsql/hits", {**parameters, "step": f"{BUCKET_NS // 10**9}s"})

    def read(self, question: Question, answer: bytes) -> Answer:
        if question.kind is Kind.page:
            rows = [json.loads(line) for line in answer.splitlines()]
            rows.sort(key=lambda row: parse_time(row["_time"], "_time"), reverse=True)
            return tuple(int(row[NUMBER]) for row in rows)
        if question.kind is Kind.group:
            return groups(json.loads(line)["records"] for line in answer.splitlines())
        hits = json.loads(answer)["hits"]
        counts = [pair for hit in hits for pair in zip(hit["timestamps"], hit["values"], strict=True)]
        return buckets(self.corpus, ((parse_time(time, "timestamps"), count) for time, count in counts))

    def _number(self, function: str) -> int:
        answer = self.http.get(_QUERY, {"query": f"* | stats {function} as records"})
        return int(json.loads(answer)["records"])


@contextmanager
def victoria_logs(program: Path, folder: Path, corpus: PeerCorpus) -> Iterator[VictoriaLogs]:
    """Starts VictoriaLogs in a folder, and ends it after the block. Raises Internal if it does not run."""
    [port] = free_ports(1)
    data, address = folder / "data", Address("127.0.0.1", port)
    command = [str(program), f"-httpListenAddr=127.0.0.1:{port}", f"-storageDataPath={data}"]
    with Connection(address) as http, running(command, folder, lambda: http.get("/metrics")) as pid:
        yield VictoriaLogs(
            version=version(program, "-version"),
            otlp=(address, "/insert/opentelemetry/v1/logs"),
            pids={"victoria-logs": pid},
            http=http,
            corpus=corpus,
            data=data,
        )
