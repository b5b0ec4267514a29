"""`logsieve loadtest search`."""

from pathlib import Path
from typing import Annotated

import typer

from kit.clock import SystemClock
from kit.settings import Settings
from stack.cli.loadtest_origin import as_asked
from stack.cli.loadtest_result import AsJson, Write, finish
from stack.cli.loadtest_stack import Seed, own_stack_offset, telling


def search(
    records: Annotated[int, typer.Option(min=1_000, help="Records of 4 KB to search in.")] = 1_000_000,
    rounds: Annotated[int, typer.Option(min=1, help="How often each search is made on each side.")] = 20,
    seed: Seed = 1,
    folder: Annotated[
        Path | None, typer.Option("--home", help="Where the data lives; it stays, for the next run of as many records.")
    ] = None,
    write: Write = None,
    as_json: AsJson = False,
) -> None:
    """Measure pages of the newest records, each plan over both index profiles, against a plain exporter's table."""
    from kit.clickhouse import connect
    from loadtest.corpus.rows import FIXED_DAY_NS, Corpus
    from loadtest.machine import this_machine
    from loadtest.own_stack import own_stack_in
    from loadtest.search.measure import SearchMeasurement
    from loadtest.search.page import Outcome, write_page
    from loadtest.search.report import GOALS, plain, standing
    from loadtest.search.store import fill_tables
    from schema.clickhouse.index_profiles import Profile

    home = ((folder or Settings().home / "loadtest" / "search") / f"{records}-{seed}").resolve()
    corpus = Corpus(records, "4k", 1, seed, FIXED_DAY_NS)
    clock = SystemClock()
    with telling(as_json) as say:
        with own_stack_in(home, own_stack_offset(), ("migrate",), {}) as stack:
            with connect(stack.settings) as client:
                fill_tables(client, stack.settings, corpus, clock, say)
                machine = this_machine(client)
            timings = SearchMeasurement(stack.settings, corpus, clock, say).measure(rounds)
        standings = [standing(timings, profile) for profile in Profile]
        report = plain(timings, standings)
        for line in report["cases"]:
            say(
                f"{line['words']:<9} {line['rows']:<5} {line['side']:<18} p50 {line['p50_ms']:8.1f} ms"
                f" p95 {line['p95_ms']:8.1f} ms"
            )
        for each in standings:
            goal = GOALS[each.profile]
            say(
                f"{each.profile}: {each.ratio:.1f} times as fast (goal {goal.ratio:g}), p95 {each.p95_ms:.0f} ms"
                f" (goal {goal.p95_ms:g}), auto takes {each.auto_over_best:.2f} of the best plan"
            )
        if write is not None:
            write_page(Outcome(as_asked(), corpus, rounds, timings, standings, machine), write)
    asked = {"records": records, "rounds": rounds, "seed": seed, "machine": machine.line()}
    finish("search", {**report, **asked}, as_json, write)
