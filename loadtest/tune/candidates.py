"""Lists the indexes over the words of the body that the study compares."""

from dataclasses import dataclass
from enum import Enum
from typing import Final

INDEX: Final = "body_words"
"""Name of the index, which is the same as in Logsieve's log tables."""


class Probe(Enum):
    """Conditions that a body has the token `{}`. A query must have the one that the kind of index supports."""

    token = "hasToken(lower(body), {})"
    array = "has(tokens(lower(body)), {})"
    ngrams = "lower(body) LIKE concat('%', {}, '%')"


@dataclass(frozen=True, slots=True)
class Candidate:
    """An index. `type` is its SQL type, or None for no index.

    `table_granularity` is the number of rows of a granule of the table. `granularity` is the number of granules that
    one entry of the index covers.
    """

    name: str
    kind: str
    type: str | None
    table_granularity: int
    granularity: int = 1
    expression: str = "lower(body)"
    probe: Probe = Probe.token

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
        "tokenbf",
        f"tokenbf_v1({size}, {hashes}, 0)",
        table_granularity,
        granularity,
    )


def ngrambf(length: int, size: int, hashes: int, table_granularity: int) -> Candidate:
    return Candidate(
        f"ngrambf {length}: {size // 1024}K/{hashes} per {table_granularity}",
        "ngrambf",
        f"ngrambf_v1({length}, {size}, {hashes}, 0)",
        table_granularity,
        probe=Probe.ngrams,
    )


def bloom(share: float, table_granularity: int) -> Candidate:
    return Candidate(
        f"bloom {share:g} per {table_granularity}",
        "bloom",
        f"bloom_filter({share})",
        table_granularity,
        expression="tokens(lower(body))",
        probe=Probe.array,
    )


def text(table_granularity: int, options: str = "") -> Candidate:
    return Candidate(
        f"text per {table_granularity}" + (f" ({options})" if options else ""),
        "text",
        f"text(tokenizer = splitByNonAlpha{', ' + options if options else ''})",
        table_granularity,
    )


def none(table_granularity: int) -> Candidate:
    return Candidate(f"none per {table_granularity}", "none", None, table_granularity)


SMOKE: Final = (none(64), tokenbf(8_192, 3, 64), text(64))

ALL: Final = (
    none(64),
    none(512),
    none(8192),
    tokenbf(4_096, 3, 64),
    tokenbf(8_192, 2, 64),
    tokenbf(8_192, 3, 64),
    tokenbf(8_192, 5, 64),
    tokenbf(16_384, 3, 64),
    tokenbf(65_536, 3, 64, 8),
    tokenbf(16_384, 3, 128),
    tokenbf(32_768, 3, 128),
    tokenbf(32_768, 3, 512),
    tokenbf(65_536, 2, 512),
    tokenbf(65_536, 3, 512),
    tokenbf(65_536, 5, 512),
    tokenbf(131_072, 3, 512),
    tokenbf(262_144, 3, 512, 4),
    tokenbf(131_072, 3, 2048),
    tokenbf(262_144, 3, 2048),
    tokenbf(32_768, 3, 8192, 8),
    tokenbf(1_048_576, 3, 8192),
    ngrambf(3, 8_192, 3, 64),
    ngrambf(4, 32_768, 3, 64),
    ngrambf(3, 65_536, 3, 512),
    ngrambf(4, 262_144, 3, 512),
    bloom(0.1, 64),
    bloom(0.01, 64),
    bloom(0.05, 512),
    bloom(0.01, 512),
    bloom(0.01, 2048),
    text(64),
    text(128),
    text(512),
    text(8192),
    text(64, "dictionary_block_size = 128"),
)
"""All candidates. The OpenTelemetry exporter has tokenbf_v1(32768, 3, 0) GRANULARITY 8 over granules of 8,192 rows."""
