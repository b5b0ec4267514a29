"""`logsieve loadtest plans`."""

from pathlib import Path
from typing import Annotated, Final

import typer

from kit.clock import SystemClock
from kit.settings import Settings
from stack.cli.loadtest_origin import as_asked
from stack.cli.loadtest_result import AsJson, Write, finish
from stack.cli.loadtest_stack import Seed, own_stack_offset, telling

_ROWS: Final = {"full": 1_000_000, "smoke": 3_000}
_NODES: Final = 2


def plans(
    profile: Annotated[str, typer.Option(help="full, or smoke for a minute without goals.")] = "full",
    rows: Annotated[
        int | None, typer.Option(min=1_000, help="Records of 4 KB; 1,000,000 for full, 3,000 for smoke.")
    ] = None,
    rounds: Annotated[int | None, typer.Option(min=1, help="Rounds over all sides; 5 for full, 1 for smoke.")] = None,
    seed: Seed = 1,
    folder: Annotated[
        Path | None, typer.Option("--home", help="Where the data lives; a later run of as many records uses it.")
    ] = None,
    write: Write = None,
    as_json: AsJson = False,
) -> None:
    """Compare ways to read a page: plans, table layouts of others, one node and two, engines of today and of 2024."""
    from kit.clickhouse import connect
    from loadtest.corpus.rows import DAY_NS, FIXED_DAY_NS, Corpus
    from loadtest.machine import this_machine
    from loadtest.own_stack import own_stack_in
    from loadtest.plans.measure import Stage, Study, measure
    from loadtest.plans.page import Outcome, write_page
    from loadtest.plans.questions import SMOKE_WORDS, WORDS
    from loadtest.plans.report import as_plain, standings
    from loadtest.plans.statements import Span
    from loadtest.plans.store import PlanStore

    if profile not in _ROWS:
        raise typer.BadParameter("--profile is full or smoke")
    callers = Settings()
    if "clickhouse_nodes" in callers.model_fields_set and callers.clickhouse_nodes != _NODES:
        raise typer.BadParameter("plans compares one ClickHouse node with two: unset LOGSIEVE_CLICKHOUSE_NODES")
    smoke = profile == "smoke"
    corpus = Corpus(rows or _ROWS[profile], "4k", 1, seed, FIXED_DAY_NS)
    study = Study(SMOKE_WORDS if smoke else WORDS, rounds or (1 if smoke else 5), warm_up=not smoke)
    # A folder holds one corpus: how many rows a table has says whether it is complete.
    home = (folder or callers.home / "loadtest").resolve() / f"plans-{corpus.rows}-{seed}"
    two_nodes = {"LOGSIEVE_CLICKHOUSE_NODES": str(_NODES), "LOGSIEVE_LANES": "4"}
    with telling(as_json) as say, own_stack_in(home, own_stack_offset(), ("migrate",), two_nodes) as stack:
        settings, clock = stack.settings, SystemClock()
        with connect(settings) as first, connect(settings, shard=1) as second:
            PlanStore(settings, (first, second), corpus, clock, say).fill()
            span = Span(FIXED_DAY_NS, FIXED_DAY_NS + DAY_NS)
            measured = measure(Stage(settings, (first, second), span), study, clock, say)
            machine = this_machine(first)
        if write is not None:
            write_page(Outcome(as_asked(), corpus.rows, study, machine, measured), write)
        for each in standings(measured, study.words):
            goal = "" if each.goal is None or smoke else f", goal {each.goal:g}"
            say(f"{each.placement}, {each.profile}: {each.ratio:.1f} times as fast as the exporter's table{goal}")
    report = as_plain(measured, study.words, goals=not smoke)
    asked = {"records": corpus.rows, "rounds": study.rounds, "seed": seed, "machine": machine.line()}
    finish("plans", {**report, **asked}, as_json, write)
