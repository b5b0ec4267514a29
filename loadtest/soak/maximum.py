"""Calculates the largest rate of a soak run from the time that processors work in a trial."""

import shutil
from collections.abc import Sequence
from itertools import islice
from typing import Final

import psutil

from kit.clickhouse import connect_shards
from kit.errors import Unavailable
from loadtest.bench import Bench
from loadtest.corpus.records import LARGE
from loadtest.freshness.measure import calibrate
from loadtest.freshness.prepared import Pace, PreparedRequests, calls
from loadtest.log_store import LogStore
from loadtest.open_loop import on_schedule
from loadtest.own_stack import OwnStack, Sender
from loadtest.scheduled_exports import ScheduledExports
from schema.clickhouse.tables import table_name

TRIAL_SECONDS: Final = 900.0
"""Length of the trial. Shorter ones find too large a rate: searches read the last 15 minutes, and the merges of larger
parts, which cost most, come later."""
_TRIAL_SHARE: Final = 0.05
"""Rate of the trial, as a share of the rate at which the loader catches up. Processors must have time left."""
_FREE_SHARE: Final = 0.9
"""Share (0 to 1) of the free disk space that half of the maximum rate may fill."""
_CONNECTIONS: Final = 32


def maximum_rate(bench: Bench, stack: OwnStack, senders: Sequence[Sender], minutes: float) -> float:
    """Returns the records per second at which all processors would always work, with all that runs beside the trial.

    `senders` are those that the searches search. The loader catches up faster than that, because it then makes large
    parts and merges are postponed. Raises Unavailable if the disk is too small for half of the rate for `minutes`.
    """
    # Of a tenant without tails, which could not follow.
    trial = calibrate(bench, stack, stack.create_sender("calibration")) * _TRIAL_SHARE
    pace = Pace.of(trial, TRIAL_SECONDS, len(senders))
    requests = PreparedRequests(LARGE, bench.seed, pace)
    bench.say(f"a trial of {TRIAL_SECONDS:g} s with {trial:.0f} records a second")
    psutil.cpu_percent()  # the next call measures from now on
    with ScheduledExports(stack.otlp_http, bench.clock) as exports:
        scheduled = islice(calls(senders, requests, exports, bench.clock), pace.requests)
        on_schedule(scheduled, bench.clock, _CONNECTIONS)
    share = psutil.cpu_percent() / 100
    rate = trial / share
    bench.say(f"processors worked {share:.0%} of the time, so at most {rate:.0f} records a second")
    with connect_shards(stack.settings) as shards:
        stored, rows = LogStore(shards, stack.settings, bench.clock).size(table_name(senders[0].lane))
    needed = rate / 2 * minutes * 60 * stored / rows
    free = shutil.disk_usage(stack.home).free * _FREE_SHARE
    bench.say(f"half of that for {minutes:g} minutes needs {needed / 1e9:.0f} GB of {free / 1e9:.0f} GB")
    if needed > free:
        raise Unavailable("the disk is too small: set --rate or --minutes")
    return rate
