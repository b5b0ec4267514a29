"""Lists the indexes over the words of the body that the study compares."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final

from schema.clickhouse.index_profiles import BODY_INDEXES, Profile
from schema.clickhouse.tables import TABLE_SETTINGS

INDEX: Final = "body_words"
"""Name of the index, which is the same as in Logsieve's log tables."""
_KIB: Final = 1_024


class Probe(Enum):
    """Conditions that a body has the token `{}`. A query must have the condition that the kind of index supports."""

    token = "hasToken(lower(body), {})"
    array = "has(tokens(lower(body)), {})"
    ngrams = "lower(body) LIKE concat('%', {}, '%')"


@dataclass(frozen=True, slots=True)
class Granules:
    """Largest number of rows, and of bytes if there is such a limit, of a table's granules."""

    rows: int
    bytes: int | None = None

    @property
    def settings(self) -> Mapping[str, int]:
        """ClickHouse's settings of a table with these granules. If `bytes` is None, each has exactly `rows` rows."""
        return {"index_granularity": self.rows, "index_granularity_bytes": self.bytes or 1 << 40}

    def __str__(self) -> str:
        return f"{self.rows}" if self.bytes is None else f"{self.bytes // _KIB} KiB"


SHIPPED: Final = Granules(TABLE_SETTINGS["index_granularity"], TABLE_SETTINGS["index_granularity_bytes"])
"""Granules of Logsieve's log tables."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """An index. `name` begins with its kind. `type` is its SQL type, or None for no index.

    `granules` are those of the table. `granularity` is the number of granules that one entry of the index covers.
    """

    name: str
    type: str | None
    granules: Granules
    granularity: int = 1
    expression: str = "lower(body)"
    probe: Probe = Probe.token

    @property
    def kind(self) -> str:
        return self.name.split()[0]

    @property
    def ddl(self) -> str | None:
        """Definition for ALTER TABLE … ADD INDEX, or None for no index."""
        if self.type is None:
            return None
        return f"{INDEX} {self.expression} TYPE {self.type} GRANULARITY {self.granularity}"


def tokenbf(size: int, hashes: int, granules: Granules, granularity: int = 1) -> Candidate:
    """Returns a bloom filter of `size` bytes for every `granularity` granules."""
    several = f"{granules.rows * granularity} ({granularity}x{granules})"
    return Candidate(
        f"tokenbf {size // _KIB}K/{hashes} per {several if granularity > 1 else granules}",
        f"tokenbf_v1({size}, {hashes}, 0)",
        granules,
        granularity,
    )


def ngrambf(length: int, size: int, hashes: int, granules: Granules) -> Candidate:
    return Candidate(
        f"ngrambf {length}: {size // _KIB}K/{hashes} per {granules}",
        f"ngrambf_v1({length}, {size}, {hashes}, 0)",
        granules,
        probe=Probe.ngrams,
    )


def bloom(share: float, granules: Granules) -> Candidate:
    return Candidate(
        f"bloom {share:g} per {granules}",
        f"bloom_filter({share})",
        granules,
        expression="tokens(lower(body))",
        probe=Probe.array,
    )


def text(granules: Granules, options: str = "") -> Candidate:
    return Candidate(
        f"text per {granules}" + (f" ({options})" if options else ""),
        f"text(tokenizer = splitByNonAlpha{', ' + options if options else ''})",
        granules,
    )


def none(granules: Granules) -> Candidate:
    return Candidate(f"none per {granules}", None, granules)


def shipped(profile: Profile) -> Candidate:
    """Returns the index and the granules of Logsieve's log tables of this profile."""
    index = BODY_INDEXES[profile]
    return Candidate(f"{profile} as shipped", index.type, SHIPPED, expression=index.expression)


_BY_64: Final = Granules(64)

SMOKE: Final = (none(_BY_64), tokenbf(8_192, 3, _BY_64), shipped(Profile.tokenbf), text(_BY_64))

_TOKENBF: Final = (
    *((4, 3, 64), (8, 2, 64), (8, 3, 64), (8, 5, 64), (16, 3, 64), (64, 3, 64, 8), (16, 3, 128), (32, 3, 128)),
    *((32, 3, 512), (64, 2, 512), (64, 3, 512), (64, 5, 512), (128, 3, 512), (256, 3, 512, 4), (128, 3, 2048)),
    *((256, 3, 2048), (32, 3, 8192, 8), (1_024, 3, 8192)),
)
"""KiB and hash functions of a filter, rows of a granule, and granules that one filter covers if several."""
_NGRAMBF: Final = ((3, 8, 3, 64), (4, 32, 3, 64), (3, 64, 3, 512), (4, 256, 3, 512))
"""Length of the n-grams, KiB and hash functions of a filter, and rows of a granule."""
_BLOOM: Final = ((0.1, 64), (0.01, 64), (0.05, 512), (0.01, 512), (0.01, 2048))
"""Permitted share of false positives, and rows of a granule."""

ALL: Final = (
    *(none(Granules(rows)) for rows in (64, 512, 8192)),
    none(SHIPPED),
    *map(shipped, Profile),
    *(tokenbf(size * _KIB, hashes, Granules(rows), *covered) for size, hashes, rows, *covered in _TOKENBF),
    *(ngrambf(length, size * _KIB, hashes, Granules(rows)) for length, size, hashes, rows in _NGRAMBF),
    *(bloom(share, Granules(rows)) for share, rows in _BLOOM),
    *(text(Granules(rows)) for rows in (64, 128, 512, 8192)),
    text(_BY_64, "dictionary_block_size = 128"),
)
"""The candidates that do not depend on the records. The OpenTelemetry exporter has tokenbf_v1(32768, 3, 0) GRANULARITY
8 over granules of 8,192 rows."""
