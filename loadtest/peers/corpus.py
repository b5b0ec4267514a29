"""Makes the study's records: realistic records of 4 KB over six hours, with planted texts at known records.

No two records have the same time, so that the newest 100 are the same records on every side.
"""

import itertools
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self
from zlib import crc32

from loadtest.corpus.records import LARGE, RecordSource, export_request
from loadtest.traffic.sender import PODS, REQUEST_RECORDS

BUCKET_NS: Final = 600 * 10**9
BUCKETS: Final = 36
SPAN_NS: Final = BUCKETS * BUCKET_NS
RARE_SERVICE: Final = "rarely"

_INTERLEAVED: Final = 16
"""Number of requests whose records alternate in time, as if their services logged at the same time."""
_RARE_EVERY: Final = 200
_RARE_FIRST: Final = 5
_SERVICES: Final = 24
_SKEW: Final = 1.1
_OFF_BOUNDARY_NS: Final = 345
"""Nanoseconds that each time is moved off the boundaries of buckets, because Loki counts them in the earlier bucket."""


@dataclass(frozen=True, slots=True)
class PeerCorpus:
    """Records made from `seed`, spread over the six hours from `start_ns`.

    `start_ns` counts nanoseconds since the Unix epoch and is a multiple of BUCKET_NS.
    """

    records: int
    seed: int
    start_ns: int

    @classmethod
    def until(cls, now_ns: int, records: int, seed: int) -> Self:
        """Returns the corpus of the six hours before the ten minutes that contain `now_ns`."""
        return cls(records, seed, now_ns // BUCKET_NS * BUCKET_NS - SPAN_NS)

    @property
    def end_ns(self) -> int:
        return self.start_ns + SPAN_NS

    @property
    def planted(self) -> Mapping[str, range]:
        """Planted texts, each with the numbers of the records that have it. An empty text stands for all records."""
        return {
            "": range(self.records),
            "zabsent": range(0),
            "zfrequent": range(0, self.records, 2),
            "zplenty": range(0, self.records, 50),
            "zmorning": range(0, self.records, 2_000),
            "zscarce": range(1, self.records, -(-self.records // 4)),
            "zlost zlink": range(0, self.records, 1_000),
            "zlink zlost": range(500, self.records, 1_000),
            "zlost": range(3, self.records, 20),
            "zlink": range(13, self.records, 20),
        }

    def time_ns(self, number: int) -> int:
        """Returns the time of a record. Times rise with the number by differences with random digits, as those of real
        records do: even differences would compress to almost nothing."""
        step = SPAN_NS // self.records
        return self.start_ns + number * step + _OFF_BOUNDARY_NS + crc32(number.to_bytes(8)) % (step - _OFF_BOUNDARY_NS)


def write_requests(corpus: PeerCorpus, file: Path) -> None:
    """Writes the encoded OTLP requests into a file. Each follows its length in bytes (four bytes, big-endian)."""
    source, services = RecordSource(LARGE, corpus.seed), _services(corpus.seed)
    planted = {f"{text} ": numbers for text, numbers in corpus.planted.items() if text}
    with file.open("wb") as out:
        for first in range(0, corpus.records, _INTERLEAVED * REQUEST_RECORDS):
            count = min(_INTERLEAVED * REQUEST_RECORDS, corpus.records - first)
            records = source.take(count, time_ns=0)
            for number, record in enumerate(records, start=first):
                record.time_unix_nano = record.observed_time_unix_nano = corpus.time_ns(number)
                texts = "".join(text for text, numbers in planted.items() if number in numbers)
                original = record.body.string_value
                # The body keeps its length.
                record.body.string_value = texts + original[: len(original) - len(texts)]
            for lane in range(_INTERLEAVED):
                if own := records[lane::_INTERLEAVED]:
                    body = export_request(own, lane % PODS, next(services))
                    out.write(len(body).to_bytes(4, "big") + body)


def read_requests(file: Path) -> Iterator[bytes]:
    """Yields the encoded requests of a file that `write_requests` wrote, in their order."""
    with file.open("rb") as written:
        while length := written.read(4):
            yield written.read(int.from_bytes(length, "big"))


def _services(seed: int) -> Iterator[str]:
    """Yields the service of each request. A few services send most requests, RARE_SERVICE sends one in 200."""
    rng = random.Random(seed)
    weights = [1 / rank**_SKEW for rank in range(1, _SERVICES + 1)]
    for number in itertools.count():
        [place] = rng.choices(range(_SERVICES), weights)
        yield RARE_SERVICE if number % _RARE_EVERY == _RARE_FIRST else f"service-{place}"
