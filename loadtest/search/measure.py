"""Measures pages of the newest records with each plan over both index profiles, against the exporter's tables.

Logsieve's time is from the query text to the API's records, within this process. The time of an exporter's table is
from the SQL to its rows.
"""

import statistics
from collections import defaultdict
from contextlib import closing
from itertools import chain
from typing import Final

from clickhouse_connect.driver.client import Client

from backend.store.plans.plan import Plan
from loadtest.bench import Bench
from loadtest.corpus.rows import Corpus
from loadtest.log_store import LogStore
from loadtest.own_stack import OwnStack
from loadtest.pages.layouts import EXPORTER as EXPORTER_TABLE
from loadtest.pages.layouts import EXPORTER_TEXT as EXPORTER_TEXT_TABLE
from loadtest.pages.questions import WORDS, Question
from loadtest.pages.rounds import Rounds, play
from loadtest.pages.sides import Engine, Placement, Side, Way, ours
from loadtest.pages.store import PageStore
from loadtest.percentile import percentile
from loadtest.search.study import EXPORTER, EXPORTER_TEXT, SearchReport, SearchTime
from schema.clickhouse.index_profiles import Profile

_MERGE_SECONDS: Final = 3_600.0


def planned(profile: Profile, plan: Plan) -> Side:
    """Returns the side of a plan over Logsieve's table with an index profile."""
    return Side(Placement.local, ours(profile), plan, Engine.installed)


BASELINE: Final = Side(Placement.local, EXPORTER_TABLE.name, Way.plain, Engine.installed)
NEWER: Final = Side(Placement.local, EXPORTER_TEXT_TABLE.name, Way.plain, Engine.installed)
SIDES: Final = {BASELINE: EXPORTER, NEWER: EXPORTER_TEXT} | {
    planned(profile, plan): f"{profile}/{plan}" for profile in Profile for plan in Plan
}
"""All sides, each with its name in the report."""

Timings = dict[tuple[Question, Side], list[float]]
"""Milliseconds of each question on each side, one value for each round."""


def measure(bench: Bench, stack: OwnStack, client: Client, corpus: Corpus, rounds: int) -> SearchReport:
    """Fills the tables, waits until no merge runs, and reads all pages on all sides in `rounds` rounds.

    Raises Internal if two sides find different numbers of records.
    """
    tables = PageStore(bench, stack.settings, corpus).fill_whole(client, [EXPORTER_TABLE, EXPORTER_TEXT_TABLE])
    store = LogStore([client], stack.settings, bench.clock)
    for table in tables:
        store.wait_for_merges(table, _MERGE_SECONDS)
    timings: Timings = defaultdict(list)
    requested = Rounds([(question, tuple(SIDES)) for question in WORDS], rounds, warm_up=True)
    with closing(play(bench, stack, client, requested)) as read_rounds:
        for read in chain.from_iterable(read_rounds):
            timings[read.question, read.side].append(1_000 * read.seconds)
    return search_report(timings, corpus.rows, rounds)


def search_report(timings: Timings, records: int, rounds: int) -> SearchReport:
    """Returns the report with the times of each search on each side."""
    return SearchReport(
        records=records,
        rounds=rounds,
        cases=tuple(
            SearchTime(
                words=question.words,
                rows=question.rows,
                query=question.query,
                side=name,
                p50_ms=round(statistics.median(timings[question, side]), 2),
                p95_ms=round(percentile(timings[question, side], 0.95), 2),
            )
            for question in WORDS
            for side, name in SIDES.items()
        ),
    )
