"""Makes the study's records: realistic records of 4 KB over six hours, with planted texts at known records.

No two records have the same time, so that the newest 100 are the same records on every side.
"""

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final
from zlib import crc32

from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord

from loadtest.corpus.records import LARGE, RecordSource, export_request

BUCKET_NS: Final = 600 * 10**9
SPAN_NS: Final = 36 * BUCKET_NS
REQUEST_RECORDS: Final = 512
"""Records of a request: the default batch size of OpenTelemetry SDKs."""
RARE_SERVICE: Final = "rarely"

_INTERLEAVED: Final = 16
"""Number of requests whose records alternate in time, as if their services logged at the same time."""
_RARE_EVERY: Final = 200
_RARE_FIRST: Final = 5
_SERVICES: Final = 24
_SKEW: Final = 1.1
_PODS: Final = 8
_OFF_BOUNDARY_NS: Final = 345
"""Nanoseconds that each time is moved off the boundaries of buckets, because Loki counts them in the earlier bucket."""

PLANTED: Final[Mapping[str, Callable[[int], tuple[int, int]]]] = MappingProxyType(
    {
        "every": lambda _: (1, 0),
        "zabsent": lambda _: (0, 0),
        "zfrequent": lambda _: (2, 0),
        "zplenty": lambda _: (50, 0),
        "zmorning": lambda _: (2_000, 0),
        "zscarce": lambda records: (-(-records // 4), 1),
        "zlost zlink": lambda _: (1_000, 0),
        "zlink zlost": lambda _: (1_000, 500),
        "zlost": lambda _: (20, 3),
        "zlink": lambda _: (20, 13),
    }
)
"""Planted texts, each with a function of the number of records.

The function returns (step, first): records number `first`, `first + step` and so on have the text, and none if `step`
is 0. `every` stands for all records and is not planted.
"""


@dataclass(frozen=True, slots=True)
class PeerCorpus:
    """Records made from `seed`, spread over the six hours from `start_ns`.

    `start_ns` counts nanoseconds since the Unix epoch and is a multiple of BUCKET_NS.
    """

    records: int
    seed: int
    start_ns: int

    @property
    def end_ns(self) -> int:
        return self.start_ns + SPAN_NS

    @property
    def buckets(self) -> int:
        return SPAN_NS // BUCKET_NS

    @property
    def record_bytes(self) -> int:
        """Bytes of the body and the attributes of each record."""
        return LARGE.size

    def time_ns(self, number: int) -> int:
        """Returns the time of a record. Times rise with the number by differences with random digits, as those of real
        records do: even differences would compress to almost nothing."""
        step = SPAN_NS // self.records
        return self.start_ns + number * step + _OFF_BOUNDARY_NS + crc32(number.to_bytes(8)) % (step - _OFF_BOUNDARY_NS)


def write_requests(corpus: PeerCorpus, file: Path) -> None:
    """Writes the encoded OTLP requests into a file. Each follows its length in bytes (four bytes, big-endian)."""
    source = RecordSource(LARGE, corpus.seed)
    services = _services(corpus.seed)
    with file.open("wb") as out:
        for first in range(0, corpus.records, _INTERLEAVED * REQUEST_RECORDS):
            count = min(_INTERLEAVED * REQUEST_RECORDS, corpus.records - first)
            records = [
                _planted(record, first + place, corpus) for place, record in enumerate(source.take(count, time_ns=0))
            ]
            for lane in range(_INTERLEAVED):
                if own := records[lane::_INTERLEAVED]:
                    body = export_request(own, lane % _PODS, next(services))
                    out.write(len(body).to_bytes(4, "big") + body)


def read_requests(file: Path) -> Iterator[bytes]:
    """Yields the encoded requests of a file that `write_requests` wrote, in their order."""
    with file.open("rb") as written:
        while length := written.read(4):
            yield written.read(int.from_bytes(length, "big"))


def _planted(record: LogRecord, number: int, corpus: PeerCorpus) -> LogRecord:
    """Sets the record's time, and puts its planted texts at the start of its body. The body keeps its length."""
    record.time_unix_nano = record.observed_time_unix_nano = corpus.time_ns(number)
    body = record.body.string_value
    texts = "".join(f"{text} " for text in PLANTED if _has(text, number, corpus.records))
    record.body.string_value = texts + body[: len(body) - len(texts)]
    return record


def _has(text: str, number: int, records: int) -> bool:
    every, first = PLANTED[text](records)
    return text != "every" and every > 0 and number % every == first


def _services(seed: int) -> Iterator[str]:
    """Yields the service of each request. A few services send most requests, RARE_SERVICE sends one in 200."""
    rng = random.Random(seed)
    weights = [1 / rank**_SKEW for rank in range(1, _SERVICES + 1)]
    number = 0
    while True:
        [place] = rng.choices(range(_SERVICES), weights)
        yield RARE_SERVICE if number % _RARE_EVERY == _RARE_FIRST else f"service-{place}"
        number += 1
