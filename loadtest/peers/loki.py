"""A side of the comparison: Loki, all components in one process, with its default labels for OTLP.

Questions are LogQL over HTTP.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Final

from kit.free_ports import free_ports
from loadtest.corpus.records import NUMBER
from loadtest.peers.answers import LOKI
from loadtest.peers.connection import Address, Connection, metric_sums
from loadtest.peers.corpus import BUCKET_NS, PeerCorpus
from loadtest.peers.program import configured, disk_bytes, running, version
from loadtest.peers.questions import PAGE, Answer, Kind, Question, buckets, groups
from loadtest.peers.side import Side

_QUERY: Final = "/loki/api/v1/query_range"
_INSTANT: Final = "/loki/api/v1/query"
"""Path of a query at one time. A range of one step starts at a multiple of the step, which is not the asked time."""
_SECOND_NS: Final = 10**9
_LABEL: Final = NUMBER.replace(".", "_")
"""Name of the attribute NUMBER in Loki, which replaces dots in names."""
_COUNT: Final = 'sum(count_over_time({service_name=~".+"}[10m]))'


@dataclass(frozen=True, slots=True, kw_only=True)
class Loki(Side):
    """A running Loki, whose chunks are in the folder `data`."""

    name: ClassVar[str] = LOKI
    data: Path

    def flush(self) -> None:
        self.http.post("/flush", b"")

    def count(self) -> int:
        return sum(self._counts(self.http.get(_QUERY, self._by_bucket(_COUNT))))

    def distinct(self) -> int:
        """Compares only the number of records, because Loki's answers have a record once even if it is stored twice."""
        return min(self.count(), self.corpus.records)

    def working(self) -> bool:
        return sum(metric_sums(self.http, "loki_ingester_memory_chunks", "loki_ingester_flush_queue_length")) > 0

    def disk(self) -> int:
        return disk_bytes(self.data)

    def fetch(self, question: Question) -> bytes:
        if question.kind is Kind.count:
            return self.http.get(_QUERY, self._by_bucket(question.loki))
        if question.kind is Kind.group:
            return self.http.get(_INSTANT, {"query": question.loki, "time": self.corpus.end_ns})
        span = {"start": self.corpus.start_ns, "end": self.corpus.end_ns}
        return self.http.get(_QUERY, {"query": question.loki, **span, "limit": PAGE, "direction": "backward"})

    def read(self, question: Question, answer: bytes) -> Answer:
        if question.kind is Kind.count:
            return self._counts(answer)
        streams = json.loads(answer)["data"]["result"]
        if question.kind is Kind.group:
            return groups(each["value"][1] for each in streams)
        found = [(int(value[0]), int(each["stream"][_LABEL])) for each in streams for value in each["values"]]
        return tuple(number for _, number in sorted(found, reverse=True))

    def _by_bucket(self, query: str) -> dict[str, str | int]:
        """Returns the parameters of a count. Each value of the answer counts the ten minutes before its time."""
        first = self.corpus.start_ns + BUCKET_NS
        return {"query": query, "start": first, "end": self.corpus.end_ns, "step": BUCKET_NS // _SECOND_NS}

    def _counts(self, answer: bytes) -> Answer:
        series: list[dict[str, Any]] = json.loads(answer)["data"]["result"]
        values = [value for each in series for value in each["values"]]
        return buckets(self.corpus, ((int(time) * _SECOND_NS - BUCKET_NS, count) for time, count in values))


@contextmanager
def loki(program: Path, folder: Path, corpus: PeerCorpus) -> Iterator[Loki]:
    """Starts Loki in a folder, and ends it after the block. Raises Internal if it does not run."""
    port, grpc_port = free_ports(2)
    config = configured("loki.yaml", folder, {"port": port, "grpc_port": grpc_port, "folder": folder})
    address, command = Address("127.0.0.1", port), [str(program), f"-config.file={config}"]
    with Connection(address) as http, running(command, folder, lambda: http.get("/ready")) as pid:
        yield Loki(
            version=version(program, "-version"),
            otlp=(address, "/otlp/v1/logs"),
            pids={"loki": pid},
            http=http,
            corpus=corpus,
            queues=(folder / "wal",),
            data=folder / "chunks",
        )
