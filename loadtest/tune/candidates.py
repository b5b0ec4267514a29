"""Lists the indexes over the words of the body that the study compares."""

from dataclasses import dataclass
from enum import Enum
from typing import Final

INDEX: Final = "body_words"
"""Name of the index, which is the same as in Logsieve's log tables."""


class Probe(Enum):
    """Conditions that a body has the token `{}`. A query must have the condition that the kind of index supports."""

    token = "hasToken(lower(body), {})"
    array = "has(tokens(lower(body)), {})"
    ngrams = "lower(body) LIKE concat('%', {}, '%')"


@dataclass(frozen=True, slots=True)
class Candidate:
    """An index. `name` begins with its kind. `type` is its SQL type, or None for no index.

    `table_granularity` is the number of rows of a granule of the table. `granularity` is the number of granules that
    one entry of the index covers.
    """

    name: str
    type: str | None
    table_granularity: int
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


def tokenbf(size: int, hashes: int, table_granularity: int, granularity: int = 1) -> Candidate:
    rows = table_granularity * granularity
    return Candidate(
        f"tokenbf {size // 1024}K/{hashes} per {rows}"
        + (f" ({granularity}x{table_granularity})" if granularity > 1 else ""),
        f"tokenbf_v1({size}, {hashes}, 0)",
        table_granularity,
        granularity,
    )


def ngrambf(length: int, size: int, hashes: int, table_granularity: int) -> Candidate:
    return Candidate(
        f"ngrambf {length}: {size // 1024}K/{hashes} per {table_granularity}",
        f"ngrambf_v1({length}, {size}, {hashes}, 0)",
        table_granularity,
        probe=Probe.ngrams,
    )


def bloom(share: float, table_granularity: int) -> Candidate:
    return Candidate(
        f"bloom {share:g} per {table_granularity}",
        f"bloom_filter({share})",
        table_granularity,
        expression="tokens(lower(body))",
        probe=Probe.array,
    )


def text(table_granularity: int, options: str = "") -> Candidate:
    return Candidate(
        f"text per {table_granularity}" + (f" ({options})" if options else ""),
        f"text(tokenizer = splitByNonAlpha{', ' + options if options else ''})",
        table_granularity,
    )


def none(table_granularity: int) -> Candidate:
    return Candidate(f"none per {table_granularity}", None, table_granularity)


SMOKE: Final = (none(64), tokenbf(8_192, 3, 64), text(64))

_KIB: Final = 1_024
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
    *map(none, (64, 512, 8192)),
    *(tokenbf(size * _KIB, *rest) for size, *rest in _TOKENBF),
    *(ngrambf(length, size * _KIB, *rest) for length, size, *rest in _NGRAMBF),
    *(bloom(*each) for each in _BLOOM),
    *map(text, (64, 128, 512, 8192)),
    text(64, "dictionary_block_size = 128"),
)
"""All candidates. The OpenTelemetry exporter has tokenbf_v1(32768, 3, 0) GRANULARITY 8 over granules of 8,192 rows."""
