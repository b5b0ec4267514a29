"""Runs the study: sends the same requests to one side after the other, then sends all sides the same questions."""

import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from loadtest.bench import Bench
from loadtest.peers import collector, logsieve, loki, victoria_logs
from loadtest.peers.corpus import BUCKET_NS, SPAN_NS, PeerCorpus, read_requests, write_requests
from loadtest.peers.idle import count_seconds, wait_until_settled
from loadtest.peers.logsieve import Logsieve
from loadtest.peers.questions import read_questions
from loadtest.peers.rounds import QuestionRounds
from loadtest.peers.searched import Searched
from loadtest.peers.send import send_all
from loadtest.peers.side import Side
from loadtest.peers.study import PeersReport, SideResult
from loadtest.peers.until_indexed import build_by_searches
from loadtest.process_stat import cpu_seconds, peak_bytes
from schema.clickhouse.index_profiles import Profile

Start = Callable[[Path, PeerCorpus], AbstractContextManager[Side]]
"""Returns a context manager that starts a side in an empty folder, and ends it after the block."""


def starts(bench: Bench, profile: Profile, programs: Mapping[str, Path | None]) -> list[Start]:
    """Returns the functions that start the sides of a run: Logsieve, then the peers that have a program."""
    peers: dict[str, Callable[[Path, Path, PeerCorpus], AbstractContextManager[Side]]] = {
        victoria_logs.NAME: victoria_logs.victoria_logs,
        loki.NAME: loki.loki,
        collector.NAME: partial(collector.collector, bench),
    }
    given = [partial(peers[name], program) for name, program in programs.items() if program is not None]
    return [partial(logsieve.logsieve, bench, profile), *given]


@dataclass(frozen=True, slots=True)
class Sizes:
    """Numbers of records and of rounds of questions. With `until_indexed`, the questions are sent again after searches
    have let Logsieve build the index on searched words."""

    records: int
    rounds: int
    until_indexed: bool = False


def measure(bench: Bench, starts: Sequence[Start], sizes: Sizes, index_profile: str) -> PeersReport:
    """Measures the sides in the order of `starts`. Sends each question to each side once for every round.

    Raises Internal if a side does not run or refuses a request, Unavailable if the index is not built.
    """
    records, rounds = sizes.records, sizes.rounds
    end_ns = bench.clock.now_ns() // BUCKET_NS * BUCKET_NS
    corpus = PeerCorpus(records, bench.seed, end_ns - SPAN_NS)
    with tempfile.TemporaryDirectory(prefix="logsieve-peers-") as folder, ExitStack() as running:
        requests = Path(folder) / "requests"
        bench.say(f"making requests of {records:,} records")
        write_requests(corpus, requests)
        sides, stored = [], []
        for place, start in enumerate(starts):
            own = Path(folder) / str(place)
            own.mkdir()
            sides.append(running.enter_context(start(own, corpus)))
            stored.append(_store(bench, sides[-1], requests, records))
        requests.unlink()
        load = os.getloadavg()[0]
        inexact = {each.name for each in stored if each.lost or each.doubled}
        questions = _ask(bench, sides, corpus, rounds)
        peaks = [peak_bytes(side.pids) for side in sides]
        searched = None
        if sizes.until_indexed and isinstance(ours := sides[0], Logsieve):
            bench.say("counts until the index on searched words is built")
            build = build_by_searches(bench, ours, read_questions())
            again = _ask(bench, sides, corpus, rounds)
            searched = Searched(build=build, timings=again.timings(), disagreements=again.disagreements(inexact))
    return PeersReport(
        records=records,
        record_bytes=corpus.record_bytes,
        rounds=rounds,
        index_profile=index_profile,
        sides=tuple(each.model_copy(update={"peak_bytes": peak}) for each, peak in zip(stored, peaks, strict=True)),
        timings=questions.timings(),
        disagreements=questions.disagreements(inexact),
        load_average=load,
        searched=searched,
    )


def _ask(bench: Bench, sides: Sequence[Side], corpus: PeerCorpus, rounds: int) -> QuestionRounds:
    """Sends each question once to warm up, and then `rounds` times. Returns the answers."""
    questions = QuestionRounds(bench, sides, corpus)
    for number in range(rounds + 1):
        bench.say(f"questions, round {number} of {rounds}" if number else "questions, to warm up")
        questions.run_round(timed=number > 0)
    return questions


def _store(bench: Bench, side: Side, requests: Path, records: int) -> SideResult:
    """Sends all requests to a side, and waits until it has stored and merged the records. Returns the cost."""
    bench.say(f"{side.name} ({side.version}): sending")
    clock, load = bench.clock, os.getloadavg()[0]
    before, started = cpu_seconds(side.pids), clock.monotonic()
    again = send_all(*side.otlp, read_requests(requests))
    sending = clock.monotonic() - started
    bench.say(f"{side.name}: all acknowledged after {sending:.0f} s, waiting for searches and merges")
    settled = wait_until_settled(side, records, clock)
    after, count = cpu_seconds(side.pids), count_seconds(side)
    used = {name: max(0.0, after[name] - before[name] - settled.counts * count[name]) for name in after}
    found = side.stored(records)
    return SideResult(
        name=side.name,
        version=side.version,
        cpu_seconds=used,
        peak_bytes={},
        sending_seconds=sending,
        searchable_seconds=sending + settled.found_seconds,
        sent_again=again,
        stored=found.records,
        lost=found.lost,
        doubled=found.doubled,
        disk_bytes=side.disk(),
        queue_bytes=side.queue(),
        load_average=load,
    )
