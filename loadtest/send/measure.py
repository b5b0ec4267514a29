"""Runs a profile: several processes send their shares on schedule, and the thresholds judge what came of it."""

import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from typing import Final

from kit.clickhouse import connect_shards
from kit.clock import Clock, SystemClock
from loadtest.bench import Bench
from loadtest.corpus.records import RecordSource, shape_of
from loadtest.corpus.request import export_request
from loadtest.log_store import LogStore
from loadtest.open_loop import Call, on_schedule
from loadtest.otlp_http import SendOutcome, ThreadConnections
from loadtest.own_stack import OwnStack, Sender
from loadtest.percentile import percentile
from loadtest.send.profile import Profile
from loadtest.send.report import SendReport
from schema.clickhouse.tables import table_name

REQUEST_SECONDS: Final = 0.1
"""Seconds of a process's records that each request holds."""
NUMBERS: Final = 2**40
"""Each process numbers its records from a multiple of this."""
_CONNECTIONS: Final = 32
_SEARCHABLE_SECONDS: Final = 120.0


@dataclass(frozen=True, slots=True)
class Share:
    """The part of a profile that one process sends."""

    process: int
    profile: Profile
    senders: tuple[Sender, ...]
    address: tuple[str, int]
    seed: int


@dataclass(slots=True)
class Tally:
    """Records by what became of them; `seconds` has one value for each acknowledged request, from due to answered."""

    acknowledged: Counter[int] = field(default_factory=Counter)
    uncertain: int = 0
    refused: int = 0
    seconds: list[float] = field(default_factory=list)
    behind: float = 0.0


def run_profile(bench: Bench, stack: OwnStack, name: str, profile: Profile) -> SendReport:
    """Sends, waits until everything acknowledged is searchable, judges."""
    senders = tuple(stack.create_sender(f"send-{number}") for number in range(profile.tenants))
    bench.say(f"sending for {profile.seconds:g} s from {profile.processes} processes: {profile.about}")
    shares = [
        Share(number, profile, senders, stack.otlp_http, bench.seed + number) for number in range(profile.processes)
    ]
    with ProcessPoolExecutor(profile.processes, mp_context=get_context("spawn")) as pool:
        tallies = list(pool.map(send_share, shares))
    acknowledged = sum((tally.acknowledged for tally in tallies), Counter[int]())
    stored = 0
    with connect_shards(stack.settings) as shards:
        store = LogStore(shards, stack.settings, bench.clock)
        for sender in senders:
            table = table_name(sender.lane)
            store.wait_for_count(table, sender.tenant_id, acknowledged[sender.tenant_id], _SEARCHABLE_SECONDS)
            stored += store.count(table, sender.tenant_id)
    return judge(name, profile, tallies, stored)


def send_share(share: Share) -> Tally:
    """Runs in a process of its own. Raises InvalidRequest when the receiver finds fault with a request."""
    sending = _Sending(share, SystemClock())
    on_schedule(sending.calls(), sending.clock, _CONNECTIONS)
    return sending.tally


class _Sending:
    def __init__(self, share: Share, clock: Clock) -> None:
        self.tally = Tally()
        self.clock = clock
        self._share = share
        # Made before the schedule begins: it takes longer than the first request may.
        self._source = RecordSource(shape_of(share.profile.size), share.seed, first=share.process * NUMBERS)
        self._connections = ThreadConnections(share.address)
        self._lock = threading.Lock()

    def calls(self) -> Iterator[tuple[float, Call]]:
        share, turn = self._share, 0
        for stage in share.profile.stages:
            credit = 0.0
            for _ in range(round(stage.seconds / REQUEST_SECONDS)):
                credit += stage.rate / share.profile.processes * REQUEST_SECONDS
                records, credit = int(credit), credit - int(credit)
                if records:
                    body = export_request(self._source.take(records, self.clock.now_ns()), turn % 8)
                    # The first request has a second to be made up.
                    due = 1.0 + turn * REQUEST_SECONDS
                    yield due, self._call(share.senders[turn % len(share.senders)], body, records)
                turn += 1

    def _call(self, sender: Sender, body: bytes, records: int) -> Call:
        def send(due: float) -> None:
            behind = self.clock.monotonic() - due
            outcome = self._connections.with_key(sender.ingest_key).export(body)
            answered = self.clock.monotonic()
            with self._lock:
                self.tally.behind = max(self.tally.behind, behind)
                if outcome is SendOutcome.acknowledged:
                    self.tally.acknowledged[sender.tenant_id] += records
                    self.tally.seconds.append(answered - due)
                elif outcome is SendOutcome.refused:
                    self.tally.refused += records
                else:
                    self.tally.uncertain += records

        return send


def judge(name: str, profile: Profile, tallies: Sequence[Tally], stored: int) -> SendReport:
    """Compares with the profile's thresholds."""
    seconds = [each for tally in tallies for each in tally.seconds]
    acknowledged = sum(tally.acknowledged.total() for tally in tallies)
    uncertain = sum(tally.uncertain for tally in tallies)
    refused = sum(tally.refused for tally in tallies)
    behind = max(tally.behind for tally in tallies)
    p50, p99 = (percentile(seconds, share) if seconds else float("inf") for share in (0.5, 0.99))
    limits = profile.thresholds
    sent = acknowledged + uncertain + refused
    missed = []
    if p99 > limits.p99_seconds:
        missed.append(f"p99 is {p99:.2f} s, at most {limits.p99_seconds:g} s")
    if behind > limits.behind_seconds:
        missed.append(f"the sender was {behind:.2f} s late, at most {limits.behind_seconds:g} s")
    if (refused + uncertain) > limits.refused_share * sent:
        missed.append(f"{refused + uncertain} of {sent} records were not acknowledged")
    if not acknowledged <= stored <= acknowledged + uncertain:
        missed.append(f"{stored} records are stored, {acknowledged} were acknowledged, {uncertain} are uncertain")
    return SendReport(
        profile=name,
        acknowledged=acknowledged,
        refused=refused,
        uncertain=uncertain,
        stored=stored,
        p50=p50,
        p99=p99,
        behind=behind,
        missed=tuple(missed),
    )
