"""Declares `logsieve loadtest plans`."""

from typing import Annotated, Final

import typer

from kit.settings import Settings
from loadtest.bench import Bench
from loadtest.plans.report import PlansReport
from loadtest.study import Home, Smoke, Study

_NODES: Final = 2
_SMOKE_ROWS: Final = 1_000


def run(
    bench: Bench,
    rows: Annotated[int, typer.Option(min=1_000, help="Records of 4 KB.")] = 1_000_000,
    rounds: Annotated[int, typer.Option(min=1, help="Rounds over all sides.")] = 5,
    folder: Home = None,
    smoke: Smoke = False,
) -> PlansReport:
    """Compare ways to read a page: plans, other table layouts, one and two nodes, engines of today and of 2024."""
    from kit.clickhouse import connect
    from loadtest.corpus.rows import FIXED_DAY_NS, Corpus
    from loadtest.plans.measure import measure, plans_report
    from loadtest.plans.questions import SMOKE_WORDS, WORDS
    from loadtest.plans.store import PageStore
    from loadtest.services import CLICKHOUSE
    from schema.migrate import migrate_clickhouse

    callers = Settings()
    if "clickhouse_nodes" in callers.model_fields_set and callers.clickhouse_nodes != _NODES:
        raise typer.BadParameter("plans compares one ClickHouse node with two: unset LOGSIEVE_CLICKHOUSE_NODES")
    corpus = Corpus(_SMOKE_ROWS if smoke else rows, "4k", 1, bench.seed, FIXED_DAY_NS)
    words, count = (SMOKE_WORDS, 1) if smoke else (WORDS, rounds)
    # Each corpus has a separate folder, because a table counts as complete by its number of rows alone.
    home = (folder or bench.home).resolve() / f"plans-{corpus.rows}-{bench.seed}"
    two_nodes = {"LOGSIEVE_CLICKHOUSE_NODES": str(_NODES), "LOGSIEVE_LANES": "4"}
    with bench.stack_in(home, CLICKHOUSE, f"{CLICKHOUSE}-1", settings=two_nodes) as stack:
        # `logsieve migrate` is not used, because it needs Kafka too.
        migrate_clickhouse(stack.settings)
        with connect(stack.settings) as first, connect(stack.settings, shard=1) as second:
            bench.found_server(str(first.server_version))
            PageStore(bench, stack.settings, corpus).fill_all((first, second))
            measured = measure(bench, stack, (first, second), words, count)
    return plans_report(measured, words, corpus.rows, count, smoke=smoke)


STUDY: Final = Study(
    "plans",
    "Which plan finds a page",
    PlansReport,
    run,
    smoke=("--smoke",),
)
