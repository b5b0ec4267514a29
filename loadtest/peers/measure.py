"""Runs the study: sends the same requests to one side after the other, then sends all sides the same questions."""

import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from loadtest.bench import Bench
from loadtest.corpus.records import LARGE
from loadtest.peers.answers import COLLECTOR, LOKI, VICTORIA_LOGS
from loadtest.peers.collector import collector
from loadtest.peers.connection import send_all
from loadtest.peers.corpus import PeerCorpus, read_requests, write_requests
from loadtest.peers.idle import count_seconds, wait_until_settled
from loadtest.peers.logsieve import Logsieve, logsieve
from loadtest.peers.loki import loki
from loadtest.peers.program import disk_bytes
from loadtest.peers.rounds import ask
from loadtest.peers.side import Side
from loadtest.peers.study import PeersReport, Searched, SideResult
from loadtest.peers.until_indexed import build_by_searches
from loadtest.peers.victoria_logs import victoria_logs
from loadtest.process_stat import cpu_seconds, peak_bytes
from schema.clickhouse.index_profiles import Profile

_Start = Callable[[Path, PeerCorpus], AbstractContextManager[Side]]
"""Returns a context manager that starts a side in an empty folder, and ends it after the block."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """Numbers of records and of rounds of questions. With `until_indexed`, the questions are sent again after searches
    have let Logsieve build the index on searched words."""

    records: int
    rounds: int
    until_indexed: bool


def measure(bench: Bench, profile: Profile, programs: Mapping[str, Path | None], sizes: Sizes) -> PeersReport:
    """Measures Logsieve and the peers that have a program. Sends each question to each side once for every round.

    Raises Internal if a side does not run or refuses a request, Unavailable if the index is not built.
    """
    corpus = PeerCorpus.until(bench.clock.now_ns(), sizes.records, bench.seed)
    with tempfile.TemporaryDirectory(prefix="logsieve-peers-") as folder, ExitStack() as running:
        requests = Path(folder) / "requests"
        bench.say(f"making requests of {sizes.records:,} records")
        write_requests(corpus, requests)
        sides, stored = [], []
        for place, start in enumerate(_starts(bench, profile, programs)):
            own = Path(folder) / str(place)
            own.mkdir()
            sides.append(running.enter_context(start(own, corpus)))
            stored.append(_store(bench, sides[-1], requests))
        requests.unlink()
        inexact = {each.name for each in stored if each.lost or each.doubled}
        answers = ask(bench, sides, sizes.rounds, inexact)
        peaks = [peak_bytes(side.pids) for side in sides]
        searched = None
        if sizes.until_indexed and isinstance(ours := sides[0], Logsieve):
            bench.say("counts until the index on searched words is built")
            build = build_by_searches(ours, bench.clock)
            searched = Searched(build=build, **dict(ask(bench, sides, sizes.rounds, inexact)))
    return PeersReport(
        records=sizes.records,
        record_bytes=LARGE.size,
        rounds=sizes.rounds,
        index_profile=profile.value,
        absent=tuple(name for name, program in programs.items() if program is None),
        sides=tuple(each.model_copy(update={"peak_bytes": peak}) for each, peak in zip(stored, peaks, strict=True)),
        searched=searched,
        **dict(answers),
    )


def _starts(bench: Bench, profile: Profile, programs: Mapping[str, Path | None]) -> Sequence[_Start]:
    """Returns the functions that start the sides of a run, Logsieve first."""
    peers: dict[str, Callable[[Path, Path, PeerCorpus], AbstractContextManager[Side]]] = {
        VICTORIA_LOGS: victoria_logs,
        LOKI: loki,
        COLLECTOR: partial(collector, bench),
    }
    given = [partial(peers[name], program) for name, program in programs.items() if program is not None]
    return [partial(logsieve, bench, profile), *given]


def _store(bench: Bench, side: Side, requests: Path) -> SideResult:
    """Sends all requests to a side, and waits until it has stored and merged the records. Returns the cost."""
    bench.say(f"{side.name} ({side.version}): sending")
    clock, load, sent = bench.clock, os.getloadavg()[0], side.corpus.records
    before, started = cpu_seconds(side.pids), clock.monotonic()
    again = send_all(*side.otlp, read_requests(requests))
    sending = clock.monotonic() - started
    bench.say(f"{side.name}: all acknowledged after {sending:.0f} s, waiting for searches and merges")
    found_seconds, counts = wait_until_settled(side, sent, clock)
    after, count = cpu_seconds(side.pids), count_seconds(side)
    stored, distinct = side.count(), side.distinct()
    return SideResult(
        name=side.name,
        version=side.version,
        cpu_seconds={name: max(0.0, after[name] - before[name] - counts * count[name]) for name in after},
        peak_bytes={},
        sending_seconds=sending,
        searchable_seconds=sending + found_seconds,
        sent_again=again,
        stored=stored,
        lost=sent - distinct,
        doubled=stored - distinct,
        disk_bytes=side.disk(),
        queue_bytes=sum(map(disk_bytes, side.queues)),
        load_average=load,
    )
