"""Runs the study: fills a table with parts, then measures searches without inserts, and with them."""

import time
from typing import Final

from kit.clickhouse import connect
from kit.profile.read_samples import read_names
from kit.profile.stacks import Source, fold, pruned
from loadtest.bare_table import count_rows
from loadtest.bench import Bench
from loadtest.contention.study import SHARES, ContentionReport, Phase, Sizes, folded
from loadtest.contention.watch import watching
from loadtest.contention.work import DATABASE, working
from loadtest.own_stack import OwnStack
from loadtest.parts.layout import Filled, Layout, fill
from loadtest.percentile import percentile
from loadtest.services import CLICKHOUSE

_KEPT: Final = 0.004
"""Share of the samples below which frames are cut off the stored stacks, 0 to 1."""
_POLL_SECONDS: Final = 0.1
_LONGER_SECONDS: Final = 120.0
"""Longest time for which a phase waits for its first search, insert, stack and lock waits after its time is over."""


def run_study(bench: Bench, stack: OwnStack, sizes: Sizes, *, smoke: bool) -> ContentionReport:
    """Returns the report of both phases. The study's database is dropped at the end."""
    with connect(stack.settings, "default") as client:
        client.command(f"DROP DATABASE IF EXISTS {DATABASE} SYNC")
        client.command(f"CREATE DATABASE {DATABASE}")
        try:
            with connect(stack.settings, DATABASE) as filler:
                filled = Filled(Layout.one_table, sizes.parts)
                fill(filler, filled, "one table", bench.say)
                parts = count_rows(filler, f"system.parts WHERE active AND database = '{DATABASE}'")
            bench.say(f"one table has {parts:,} parts")
            phases = tuple(
                _phase(bench, stack, filled, sizes, inserts) for inserts in dict.fromkeys((0, sizes.inserts))
            )
        finally:
            client.command(f"DROP DATABASE {DATABASE} SYNC", settings={"max_table_size_to_drop": 0})
    return ContentionReport(smoke=smoke, parts=parts, at_once=sizes.searches, phases=phases)


def _phase(bench: Bench, stack: OwnStack, filled: Filled, sizes: Sizes, inserts: int) -> Phase:
    bench.say(f"{sizes.searches} searches at once with {inserts} inserts for {sizes.seconds:g} s")
    settings, pid = stack.settings, stack.services.pid(CLICKHOUSE)
    clock = bench.clock
    with working(settings, filled, sizes.searches, inserts, clock.monotonic) as work:
        started = clock.monotonic()
        with watching(settings, pid) as watched:
            time.sleep(sizes.seconds)
            # A phase has at least one of each event, unless that takes too long.
            latest = clock.monotonic() + _LONGER_SECONDS
            while clock.monotonic() < latest and not (
                work.search_seconds and watched.samples and watched.moments and (work.inserts or not inserts)
            ):
                time.sleep(_POLL_SECONDS)
        seconds = clock.monotonic() - started
        searches, inserted = tuple(work.search_seconds), work.inserts
    with connect(settings, "default") as client:
        names = read_names(client, {address for sample in watched.samples for address in sample.addresses})
    profile = fold(watched.samples, names, Source.stack_trace)
    return Phase(
        inserts_at_once=inserts,
        seconds=seconds,
        searches=len(searches),
        inserts=inserted,
        search_seconds={name: percentile(searches, share) for name, share in SHARES.items() if searches},
        snapshots=watched.snapshots,
        unanswered=watched.unanswered,
        running_threads=sum(watched.running) / len(watched.running),
        moments=tuple(watched.moments),
        real=folded(pruned(profile.real, _KEPT)),
        cpu=folded(pruned(profile.cpu, _KEPT)),
    )
