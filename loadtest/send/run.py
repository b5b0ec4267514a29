"""Runs a profile against a stack of its own, and judges it."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Final

from kit.clickhouse import connect_shards
from kit.clock import Clock
from loadtest.corpus.records import shape_of
from loadtest.log_store import LogStore
from loadtest.own_stack import OwnStack
from loadtest.percentile import percentile
from loadtest.send.process import Share, Tally, send_share
from loadtest.send.profile import Profile
from schema.clickhouse.tables import table_name

Say = Callable[[str], None]

_SEARCHABLE_SECONDS: Final = 120.0


@dataclass(frozen=True, slots=True)
class Judgement:
    """`missed` has a sentence for each threshold that was not kept; records of tenants are counted in ClickHouse."""

    acknowledged: int
    refused: int
    uncertain: int
    stored: int
    p50: float
    p99: float
    behind: float
    missed: tuple[str, ...]

    @property
    def passed(self) -> bool:
        return not self.missed


def run_profile(stack: OwnStack, profile: Profile, seed: int, clock: Clock, say: Say) -> Judgement:
    """Sends, waits until everything acknowledged is searchable, judges."""
    senders = tuple(stack.create_sender(f"send-{number}") for number in range(profile.tenants))
    say(f"sending for {profile.seconds:g} s from {profile.processes} processes: {profile.about}")
    shares = [
        Share(number, profile.processes, senders, stack.otlp_http, shape_of(profile.size), profile.stages, seed)
        for number in range(profile.processes)
    ]
    with ProcessPoolExecutor(profile.processes, mp_context=get_context("spawn")) as pool:
        tallies = list(pool.map(send_share, shares))
    acknowledged: Counter[int] = Counter()
    for tally in tallies:
        acknowledged.update(tally.acknowledged)
    stored = 0
    with connect_shards(stack.settings) as shards:
        store = LogStore(shards, stack.settings, clock)
        for sender in senders:
            table = table_name(sender.lane)
            store.wait_for_count(table, sender.tenant_id, acknowledged[sender.tenant_id], _SEARCHABLE_SECONDS)
            stored += store.count(table, sender.tenant_id)
    return judge(profile, tallies, stored)


def judge(profile: Profile, tallies: list[Tally], stored: int) -> Judgement:
    """Against the profile's thresholds."""
    seconds = [each for tally in tallies for each in tally.seconds]
    acknowledged = sum(sum(tally.acknowledged.values()) for tally in tallies)
    uncertain = sum(sum(tally.uncertain.values()) for tally in tallies)
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
    return Judgement(acknowledged, refused, uncertain, stored, p50, p99, behind, tuple(missed))
