"""A side of the comparison: VictoriaLogs, one process with default settings. Questions are LogsQL over HTTP."""

import json
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final

from kit.free_ports import free_ports
from loadtest.corpus.records import NUMBER
from loadtest.peers.connection import Address, Connection, metrics, total
from loadtest.peers.corpus import BUCKET_NS, PeerCorpus
from loadtest.peers.program import configured, disk_bytes, running, version, wait_until_ready
from loadtest.peers.questions import PAGE, Answer, Kind, Question, buckets, groups, nanoseconds
from loadtest.peers.side import Side, Stored

NAME: Final = "VictoriaLogs"
_QUERY: Final = "/select/logsql/query"


@dataclass(frozen=True, slots=True, kw_only=True)
class VictoriaLogs(Side):
    """A running VictoriaLogs, whose data are in the folder `data`. Searches also find records that are in memory."""

    name: ClassVar[str] = NAME
    data: Path

    def count(self) -> int:
        [row] = self._rows("* | stats count() as records")
        return int(row["records"])

    def working(self) -> bool:
        now = metrics(self.http)
        return total(now, "vl_active_merges") + total(now, 'vl_storage_rows{type="storage/inmemory"}') > 0

    def stored(self, sent: int) -> Stored:
        [row] = self._rows(f'* | stats count() as records, count_uniq("{NUMBER}") as numbers')
        records, numbers = int(row["records"]), int(row["numbers"])
        return Stored(records, sent - numbers, records - numbers)

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
            rows.sort(key=lambda row: nanoseconds(row["_time"]), reverse=True)
            return tuple(int(row[NUMBER]) for row in rows)
        if question.kind is Kind.group:
            return groups(json.loads(line)["records"] for line in answer.splitlines())
        hits = json.loads(answer)["hits"]
        times = [nanoseconds(each) for hit in hits for each in hit["timestamps"]]
        return buckets(self.corpus, times, [value for hit in hits for value in hit["values"]])

    def _rows(self, query: str) -> list[dict[str, str]]:
        return [json.loads(line) for line in self.http.get(_QUERY, {"query": query}).splitlines()]


@contextmanager
def victoria_logs(program: Path, folder: Path, corpus: PeerCorpus) -> Iterator[VictoriaLogs]:
    """Starts VictoriaLogs in a folder, and ends it after the block. Raises Internal if it does not run."""
    [port] = free_ports(1)
    flags = configured("victoria_logs.flags", {"port": port, "folder": folder}).split()
    address = Address("127.0.0.1", port)
    with running([str(program), *flags], folder) as pid, closing(Connection(address)) as http:
        side = VictoriaLogs(
            version=version(program, "-version"),
            otlp=(address, "/insert/opentelemetry/v1/logs"),
            pids={"victoria-logs": pid},
            http=http,
            corpus=corpus,
            data=folder / "data",
        )
        wait_until_ready(side.working)
        yield side
