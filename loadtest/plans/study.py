"""Declares `logsieve loadtest plans`."""

from pathlib import Path
from typing import Annotated, Final

import typer

from kit.settings import Settings
from loadtest.bench import Bench
from loadtest.plans.report import PlansReport
from loadtest.study import Study, profile_is_smoke

_NODES: Final = 2


def run(
    bench: Bench,
    profile: Annotated[str, typer.Option(help="`full`, or `smoke` for a run of a minute without goals.")] = "full",
    rows: Annotated[
        int | None,
        typer.Option(min=1_000, help="Records of 4 KB; 1,000,000 for `full` and 3,000 for `smoke` when left out."),
    ] = None,
    rounds: Annotated[
        int | None, typer.Option(min=1, help="Rounds over all sides; 5 for `full` and 1 for `smoke` when left out.")
    ] = None,
    folder: Annotated[
        Path | None, typer.Option("--home", help="Folder of the data. A later run with as many records uses it.")
    ] = None,
) -> PlansReport:
    """Compare ways to read a page: plans, other table layouts, one and two nodes, engines of today and of 2024."""
    from kit.clickhouse import connect
    from loadtest.corpus.rows import FIXED_DAY_NS, Corpus
    from loadtest.plans.measure import measure, plans_report
    from loadtest.plans.questions import SMOKE_WORDS, WORDS
    from loadtest.plans.store import PageStore
    from loadtest.services import CLICKHOUSE
    from schema.migrate import migrate_clickhouse

    smoke, callers = profile_is_smoke(profile), Settings()
    if "clickhouse_nodes" in callers.model_fields_set and callers.clickhouse_nodes != _NODES:
        raise typer.BadParameter("plans compares one ClickHouse node with two: unset LOGSIEVE_CLICKHOUSE_NODES")
    corpus = Corpus(rows or (3_000 if smoke else 1_000_000), "4k", 1, bench.seed, FIXED_DAY_NS)
    words, count = (SMOKE_WORDS, rounds or 1) if smoke else (WORDS, rounds or 5)
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
    smoke=("--profile", "smoke"),
    takes_keep=False,
)
