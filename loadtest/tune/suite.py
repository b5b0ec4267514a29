"""The searches that are run for each candidate: the newest records with words of different frequencies.

The words are chosen by their frequency in a sample of the table. The cost of searches is in ClickHouse's query log.
"""

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final
from uuid import uuid4

from clickhouse_connect.driver.client import Client

from kit.errors import InvalidRequest
from loadtest.bare_table import logged
from loadtest.corpus.rows import DAY_NS, LARGEST, OWN_COHORT, SHARED_COHORT, Corpus
from loadtest.corpus.terms import TERM
from loadtest.tune.candidates import Candidate, Probe

NEWEST: Final = 100
_SAMPLE: Final = 2_000
_SMALL_TENANT: Final = 4
_SHORTEST: Final = 4
_HOUR_NS: Final = 3_600 * 10**9
_SETTINGS: Final = {"use_query_condition_cache": 0, "use_query_cache": 0, "log_queries": 1}
"""Settings of each search: no caches, which would answer from earlier searches, and an entry in the query log."""


@dataclass(frozen=True, slots=True)
class Case:
    """One search. A record matches if it has all words of at least one entry of `either`.

    With `phrase`, the words must follow one another. `hours` is the length of the time range, which ends with the
    corpus's day.
    """

    name: str
    either: tuple[tuple[str, ...], ...]
    tenant_id: int = LARGEST
    hours: int = 24
    phrase: bool = False


@dataclass(frozen=True, slots=True)
class Words:
    """Words by their frequency in the largest tenant's records, and two words that often follow one another."""

    frequent: tuple[str, ...]
    medium: tuple[str, ...]
    rare: tuple[str, ...]
    absent: tuple[str, ...]
    phrase: tuple[str, str]


def pick_words(client: Client, table: str, seed: int) -> Words:
    """Picks words from a sample of the table. Equal tables and seeds give equal words.

    Raises InvalidRequest if the table has too few records.
    """
    rows = client.query(
        f"SELECT lower(body) FROM {table} WHERE tenant_id = {LARGEST} ORDER BY cityHash64(id, {seed}) LIMIT {_SAMPLE}"
    ).result_rows
    records = [TERM.findall(body) for (body,) in rows]
    times = Counter(word for record in records for word in set(record) if len(word) >= _SHORTEST)
    rng = random.Random(seed)
    ranked = [word for word, _ in times.most_common()]
    medium = [word for word in ranked if len(rows) // 200 <= times[word] <= len(rows) // 20]
    once = sorted(word for word in ranked if times[word] == 1 and len(word) >= 2 * _SHORTEST)
    pairs = Counter(pair for record in records for pair in set(pairwise(record)))
    likely = [pair for pair, _ in pairs.most_common() if all(len(word) >= _SHORTEST for word in pair)]
    if min(len(ranked), len(medium), len(once), len(likely)) < 3:
        raise InvalidRequest(f"{table} has too few records to choose words from")
    return Words(
        frequent=tuple(ranked[:3]),
        medium=tuple(rng.sample(medium, 3)),
        rare=tuple(rng.sample(once, 3)),
        absent=tuple(f"{word}q{rng.getrandbits(24):x}" for word in rng.sample(once, 3)),
        phrase=likely[len(likely) // 50],
    )


def cases(words: Words) -> tuple[Case, ...]:
    """Returns all searches: frequent and rare words, with many and no matches, for two tenants and two time ranges."""
    frequent, medium, rare, absent = words.frequent, words.medium, words.rare, words.absent
    return (
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
        Case("rare, one hour", ((rare[0],),), hours=1),
        Case("frequent, one hour", ((frequent[0],),), hours=1),
        Case("absent, small tenant", ((absent[1],),), tenant_id=_SMALL_TENANT),
        Case("frequent, small tenant", ((frequent[0],),), tenant_id=_SMALL_TENANT),
    )


def statement(case: Case, probe: Probe, table: str, corpus: Corpus) -> tuple[str, dict[str, object]]:
    """Returns the SQL of a case and its parameters. It reads the newest matching records with their wide columns."""
    parameters: dict[str, object] = {}

    def add(value: str) -> str:
        name = f"w{len(parameters)}"
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
    end = corpus.start_ns + DAY_NS
    cohort = OWN_COHORT if case.tenant_id == LARGEST else SHARED_COHORT
    return (
        f"SELECT timestamp, id, body, attributes, resource FROM {table}"
        f" WHERE tenant_id = {case.tenant_id} AND cohort = '{cohort}'"
        f" AND timestamp >= fromUnixTimestamp64Nano({end - case.hours * _HOUR_NS})"
        f" AND timestamp < fromUnixTimestamp64Nano({end}) AND ({' OR '.join(branches)})"
        f" ORDER BY timestamp DESC, id DESC LIMIT {NEWEST}",
        parameters,
    )


def run_suite(
    client: Client, candidate: Candidate, table: str, corpus: Corpus, suite: Sequence[Case]
) -> dict[str, float]:
    """Runs each case once, one after the other. Returns the seconds of each by its name.

    Raises Internal if the query log has no entry for a query.
    """
    requested: dict[str, str] = {}
    for case in suite:
        sql, parameters = statement(case, candidate.probe, table, corpus)
        query_id = f"tune-{uuid4()}"
        client.query(sql, parameters=parameters, settings={**_SETTINGS, "query_id": query_id})
        requested[query_id] = case.name
    rows = logged(
        client,
        "SELECT query_id, query_duration_ms FROM system.query_log"
        " WHERE type = 'QueryFinish' AND query_id IN {ids:Array(String)} AND event_date >= today() - 1",
        {"ids": list(requested)},
        len(requested),
    )
    milliseconds = {query_id: max(float(duration), 0.5) for query_id, duration in rows}
    return {name: milliseconds[query_id] / 1000 for query_id, name in requested.items()}
