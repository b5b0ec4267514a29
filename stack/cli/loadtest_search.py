"""`logsieve loadtest search`."""

from typing import Annotated

import typer

from kit.clock import SystemClock
from stack.cli.loadtest import AsJson, Keep, Seed, finish, free_offset, telling


def search(
    records: Annotated[int, typer.Option(min=1_000, help="Records of 4 KB to search in.")] = 1_000_000,
    rounds: Annotated[int, typer.Option(min=1, help="How often each search is made on each side.")] = 20,
    seed: Seed = 1,
    keep: Keep = False,
    as_json: AsJson = False,
) -> None:
    """Measure pages of the newest records, each plan over both index profiles, against a plain exporter's table."""
    from loadtest.own_stack import own_stack
    from loadtest.search.measure import SearchMeasurement
    from loadtest.search.report import GOALS, plain, standing
    from schema.clickhouse.index_profiles import Profile

    with telling(as_json) as say, own_stack(free_offset(), ("api",), keep, say) as stack:
        measurement = SearchMeasurement(stack.settings, SystemClock(), say)
        measurement.load(records, seed)
        timings = measurement.measure(rounds)
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
    finish({**report, "records": records, "rounds": rounds, "seed": seed}, as_json)
