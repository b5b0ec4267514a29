"""Runs the searches over a candidate's table, and reads their cost from ClickHouse's query log."""

from collections.abc import Sequence
from typing import Final
from uuid import uuid4

from clickhouse_connect.driver.client import Client

from loadtest.corpus.rows import Corpus
from loadtest.logged import logged
from loadtest.tune.candidates import Candidate
from loadtest.tune.step import CaseResult
from loadtest.tune.suite import Case, statement

_SETTINGS: Final = {"use_query_condition_cache": 0, "use_query_cache": 0, "log_queries": 1}
"""Settings of each search: no caches, which would answer from earlier searches, and an entry in the query log."""


def run_suite(
    client: Client, candidate: Candidate, table: str, corpus: Corpus, cases: Sequence[Case]
) -> tuple[CaseResult, ...]:
    """Runs each case once, one after the other. Raises Internal if the query log lacks one."""
    requested: dict[str, tuple[Case, int]] = {}
    for case in cases:
        sql, parameters = statement(case, candidate.probe, table, corpus)
        query_id = f"tune-{uuid4()}"
        answer = client.query(sql, parameters=parameters, settings={**_SETTINGS, "query_id": query_id})
        requested[query_id] = (case, len(answer.result_rows))
    rows = logged(
        client,
        "SELECT query_id, query_duration_ms, memory_usage, read_rows, read_bytes,"
        " ProfileEvents['SelectedMarks'] FROM system.query_log"
        " WHERE type = 'QueryFinish' AND query_id IN {ids:Array(String)} AND event_date >= today() - 1",
        {"ids": list(requested)},
        len(requested),
    )
    found = {row[0]: row for row in rows}
    return tuple(
        CaseResult(
            case=case.name,
            seconds=max(float(found[query_id][1]), 0.5) / 1000,
            memory=int(found[query_id][2]),
            rows_read=int(found[query_id][3]),
            bytes_read=int(found[query_id][4]),
            granules=int(found[query_id][5]),
            found=count,
        )
        for query_id, (case, count) in requested.items()
    )
