"""The searches that are run for each candidate: the newest records with words of different frequencies.

The words are chosen by their frequency in a sample of the table. The cost of searches is in ClickHouse's query log.
"""

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, NamedTuple
from uuid import uuid4

from clickhouse_connect.driver.client import Client

from kit.errors import InvalidRequest
from loadtest.bare_table import logged
from loadtest.tune.candidates import Candidate, Probe
from loadtest.tune.sample import Sample

NEWEST: Final = 100
_READ_RECORDS: Final = 2_000
"""Number of records whose words are counted."""
_READ_BYTES: Final = 8_192
"""Bytes of a body whose words are counted, so that long bodies need little memory."""
_LEAST: Final = 3
"""Number of words of each frequency that the searches need."""
_SHORTEST: Final = 4
_NARROW: Final = 24
"""Length of the whole time range, divided by that of the narrow one."""
_SETTINGS: Final = {"use_query_condition_cache": 0, "use_query_cache": 0, "log_queries": 1}
"""Settings of each search: no caches, which would answer from earlier searches, and an entry in the query log."""


@dataclass(frozen=True, slots=True)
class Case:
    """One search. A record matches if it has all words of at least one entry of `either`.

    With `phrase`, the words must follow one another. With `narrow`, only the newest 24th of the sample's time range is
    searched. `small` searches the small tenant instead of the largest.
    """

    name: str
    either: tuple[tuple[str, ...], ...]
    phrase: bool = False
    narrow: bool = False
    small: bool = False


class CaseCost(NamedTuple):
    """Cost of one search: seconds, bytes of memory, rows and granules that were read."""

    seconds: float
    memory: int
    rows: int
    granules: int


@dataclass(frozen=True, slots=True)
class Words:
    """Words by their frequency in the largest tenant's records, and two words that often follow one another."""

    frequent: tuple[str, ...]
    medium: tuple[str, ...]
    rare: tuple[str, ...]
    absent: tuple[str, ...]
    phrase: tuple[str, str]


def pick_words(client: Client, table: str, sample: Sample, seed: int) -> Words:
    """Picks words from some records of the largest tenant. Equal tables and seeds give equal words.

    Raises InvalidRequest if the table has too few records.
    """
    rows = client.query(
        # The last word of a cut body may be cut too.
        f"SELECT if(length(body) > {_READ_BYTES}, arrayPopBack(tokens(lower(substring(body, 1, {_READ_BYTES})))),"
        f" tokens(lower(body))) FROM {table} WHERE tenant_id = {sample.largest.id}"
        f" ORDER BY cityHash64(id, {seed}) LIMIT {_READ_RECORDS}"
    ).result_rows
    records: list[list[str]] = [words for (words,) in rows]
    times = Counter(word for record in records for word in set(record) if len(word) >= _SHORTEST)
    rng = random.Random(seed)
    ranked = [word for word, _ in times.most_common()]
    medium = [word for word in ranked if len(rows) // 200 <= times[word] <= len(rows) // 20]
    once = sorted(word for word in ranked if times[word] == 1 and len(word) >= 2 * _SHORTEST)
    pairs = Counter(pair for record in records for pair in set(pairwise(record)))
    # The condition of a phrase is a regular expression over ASCII words.
    likely = [
        pair for pair, _ in pairs.most_common() if all(len(word) >= _SHORTEST and word.isascii() for word in pair)
    ]
    if min(len(medium), len(once), len(likely)) < _LEAST:
        raise InvalidRequest(
            f"of the words of {len(rows):,} records, {len(medium)} are in 0.5 to 5 % of the records, {len(once)} occur"
            f" once, and {len(likely)} pairs follow each other; searches need {_LEAST} of each: choose a tenant with"
            " more records"
        )
    return Words(
        frequent=tuple(ranked[:3]),
        medium=tuple(rng.sample(medium, 3)),
        rare=tuple(rng.sample(once, 3)),
        absent=tuple(f"{word}q{rng.getrandbits(24):x}" for word in rng.sample(once, 3)),
        phrase=likely[len(likely) // 50],
    )


def cases(words: Words, sample: Sample) -> tuple[Case, ...]:
    """Returns all searches: frequent and rare words, with many and no matches, for two time ranges, and for the small
    tenant if there is one."""
    frequent, medium, rare, absent = words.frequent, words.medium, words.rare, words.absent
    every = (
        Case("frequent", ((frequent[0],),)),
        Case("medium", ((medium[0],),)),
        Case("rare", ((rare[0],),)),
        Case("absent", ((absent[0],),)),
        Case("frequent AND frequent", (frequent[:2],)),
        Case("frequent AND medium AND medium", ((frequent[0], *medium[:2]),)),
        Case("frequent AND rare", ((frequent[0], rare[1]),)),
        Case("rare AND rare, no rows", (rare[:2],)),
        Case("frequent AND frequent AND absent", ((*frequent[:2], absent[1]),)),
        Case("frequent OR medium", ((frequent[1],), (medium[1],))),
        Case("rare OR rare", ((rare[1],), (rare[2],))),
        Case("absent OR absent", ((absent[0],), (absent[2],))),
        Case("phrase", (words.phrase,), phrase=True),
        Case("phrase, no rows", ((words.phrase[0], rare[2]),), phrase=True),
        Case("rare, newest 24th", ((rare[0],),), narrow=True),
        Case("frequent, newest 24th", ((frequent[0],),), narrow=True),
        Case("absent, small tenant", ((absent[1],),), small=True),
        Case("frequent, small tenant", ((frequent[0],),), small=True),
    )
    return tuple(each for each in every if sample.small is not None or not each.small)


def statement(case: Case, probe: Probe, table: str, sample: Sample) -> tuple[str, dict[str, object]]:
    """Returns the SQL of a case and its parameters. It reads the newest matching records with their wide columns."""
    tenant = sample.small if case.small and sample.small is not None else sample.largest
    length_ns = sample.end_ns - sample.start_ns
    start_ns = sample.end_ns - length_ns // _NARROW if case.narrow else sample.start_ns
    parameters: dict[str, object] = {"cohorts": list(tenant.cohorts)}

    def add(value: str) -> str:
        name = f"w{len(parameters) - 1}"
        parameters[name] = value
        return f"{{{name}:String}}"

    branches = []
    for together in case.either:
        conditions = [probe.value.format(add(word)) for word in together]
        if probe is not Probe.token:
            conditions += [Probe.token.value.format(add(word)) for word in together]
        if case.phrase:
            conditions.append(f"match(lower(body), {add('[^a-z0-9]+'.join(together))})")
        branches.append("(" + " AND ".join(conditions) + ")")
    return (
        f"SELECT timestamp, id, body, attributes, resource FROM {table}"
        f" WHERE tenant_id = {tenant.id} AND cohort IN {{cohorts:Array(String)}}"
        f" AND timestamp >= fromUnixTimestamp64Nano({start_ns})"
        f" AND timestamp < fromUnixTimestamp64Nano({sample.end_ns}) AND ({' OR '.join(branches)})"
        f" ORDER BY timestamp DESC, id DESC LIMIT {NEWEST}",
        parameters,
    )


def run_suite(
    client: Client, candidate: Candidate, table: str, sample: Sample, suite: Sequence[Case]
) -> dict[str, CaseCost]:
    """Runs each case once, one after the other. Returns the cost of each by its name.

    Raises Internal if the query log has no entry for a query.
    """
    requested: dict[str, str] = {}
    for case in suite:
        sql, parameters = statement(case, candidate.probe, table, sample)
        query_id = f"tune-{uuid4()}"
        client.query(sql, parameters=parameters, settings={**_SETTINGS, "query_id": query_id})
        requested[query_id] = case.name
    rows = logged(
        client,
        "SELECT query_id, query_duration_ms, memory_usage, read_rows, ProfileEvents['SelectedMarks']"
        " FROM system.query_log"
        " WHERE type = 'QueryFinish' AND query_id IN {ids:Array(String)} AND event_date >= today() - 1",
        {"ids": list(requested)},
        len(requested),
    )
    costs = {
        query_id: CaseCost(max(float(milliseconds), 0.5) / 1000, int(memory), int(read), int(granules))
        for query_id, milliseconds, memory, read, granules in rows
    }
    return {name: costs[query_id] for query_id, name in requested.items()}
