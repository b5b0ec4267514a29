"""Measures victims alone, beside one attack after the other, and alone again."""

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from clickhouse_connect.driver.client import Client

from ingest.dead.listing import list_dead_letters
from kit.clickhouse import connect_shards
from kit.errors import Unavailable
from loadtest.bench import Bench
from loadtest.hostile.attack import Answers, Attack
from loadtest.hostile.attacking import attack_process
from loadtest.hostile.footprint import WATCHED, Bound, Footprint, memory_bounds, watch_footprint
from loadtest.hostile.profile import Profile
from loadtest.hostile.report import AttackResult, HostileReport, VictimPercentiles, counted
from loadtest.hostile.tenants import create_tenants, send_history
from loadtest.hostile.victim import VictimTimes
from loadtest.own_stack import OwnStack
from loadtest.percentile import finite_percentile
from loadtest.report.correctness import Correctness
from loadtest.topic import wait_until_loaded
from loadtest.traffic.searchable_watch import SearchableWatch
from loadtest.verdict import judge

TimesByVictim = Mapping[str, VictimTimes]
"""Times of a phase, by victim."""
SEEN_SECONDS: Final = 45.0
"""Seconds after a phase in which its last records must be found. The delay of later ones is infinite."""
LONGEST_SECONDS: Final = 90.0
"""Longest phase in seconds, if the attack does not end."""
_LOADED_SECONDS: Final = 300.0
_POLL_SECONDS: Final = 0.2

Phase = tuple[TimesByVictim, Footprint]
"""Measurements of a phase: the victims' times, and the memory of the stack's processes."""


def hostile_report(
    alone: tuple[TimesByVictim, TimesByVictim],
    attacks: Sequence[AttackResult],
    bounds: Mapping[str, Bound],
    dead_letters: Mapping[str, int],
    wrong: Correctness,
) -> HostileReport:
    """Returns the report. `alone` has the victims' times before and after all attacks."""
    first, last = alone
    return HostileReport(
        first=_percentiles(first),
        last=_percentiles(last),
        alone=_percentiles({name: times.and_later(last[name]) for name, times in first.items()}),
        attacks=tuple(attacks),
        bounds={name: str(bound) for name, bound in bounds.items()},
        dead_letters=dict(dead_letters),
        **dict(wrong),
    )


def beside(attack: Attack, answers: Answers, seconds: float, phase: Phase, bounds: Mapping[str, Bound]) -> AttackResult:
    """Returns the report's part about one attack."""
    times, footprint = phase
    return AttackResult(
        name=attack.name,
        does=attack.does,
        documented=attack.documented,
        answers=dict(answers),
        as_documented=attack.is_met_by(answers),
        seconds=seconds,
        percentiles=_percentiles(times),
        growth=footprint.growth,
        peak=dict(footprint.peak),
        over_bound=tuple(name for name, bound in bounds.items() if bound.is_exceeded(name, footprint)),
        ended=footprint.ended,
    )


def _percentiles(victims: TimesByVictim) -> VictimPercentiles:
    searches = [seconds for each in victims.values() for seconds in each.searches]
    return VictimPercentiles(
        exports=sum(len(each.exports) for each in victims.values()),
        searches=len(searches),
        refused=sum(each.refused for each in victims.values()),
        acknowledged={name: finite_percentile(each.exports, 0.99) for name, each in victims.items()},
        searchable={name: finite_percentile(each.delays, 0.99) for name, each in victims.items()},
        search=finite_percentile(searches, 0.99),
    )


class HostileMeasurement:
    """The phases of the study on one stack."""

    def __init__(self, bench: Bench, stack: OwnStack, profile: Profile) -> None:
        self._stack = stack
        self._profile = profile
        self._clock = bench.clock
        self._say = bench.say
        self._bounds = memory_bounds(stack.settings)
        self._tenants = create_tenants(stack, bench.seed, bench.clock)

    def measure(self, attacks: Sequence[Attack]) -> HostileReport:
        """Measures all phases. Raises Unavailable if the stack does not recover from an attack."""
        tenants, alone_seconds = self._tenants, self._profile.alone_seconds
        self._say("the attacker's own records")
        send_history(self._stack.otlp_http, tenants.target.ingest_keys[0], self._profile.history, self._clock)
        self._drain()
        with connect_shards(self._stack.settings) as shards:
            self._say("warming up")
            self._alone(shards, alone_seconds / 4)
            first = self._alone(shards, alone_seconds)
            self._drain()
            found = [self._beside(shards, attack) for attack in attacks]
            last = self._alone(shards, alone_seconds)
            self._drain()
        sent = {victim.sender.tenant_id: victim.sent for victim in tenants.victims.values()}
        return hostile_report(
            (first, last),
            found,
            self._bounds,
            Counter(entry.code for entry in list_dead_letters(self._stack.settings)),
            judge(sent, self._stack.settings, self._clock, tenants.others),
        )

    def _alone(self, shards: Sequence[Client], seconds: float) -> TimesByVictim:
        """Watches the victims for `seconds` without an attack."""
        return self._observe(shards, lambda passed: passed >= seconds)

    def _beside(self, shards: Sequence[Client], attack: Attack) -> AttackResult:
        """Watches the victims beside one attack. An attack that does not end has the error as an answer."""
        effort, seconds = self._profile.effort, self._profile.beside_seconds
        with attack_process() as attacking:
            attacking.prepare(attack.name, self._tenants.target, effort)
            end_of_footprint = watch_footprint(self._stack.services)
            attacking.start()
            times = self._observe(
                shards, lambda passed: passed >= seconds and (attacking.ended or passed >= LONGEST_SECONDS)
            )
            phase = times, end_of_footprint()
            try:
                answers, took = attacking.outcome(effort)
            except Unavailable as error:
                answers, took = Counter([f"failed: {error.detail}"]), seconds
        self._say(f"{attack.name}: answered {counted(answers)} in {took:.1f} s; documented: {attack.documented}")
        services = self._stack.services
        services.wait_until_ready(self._clock, _LOADED_SECONDS, (*services.pipeline(), *WATCHED))
        self._drain()
        time.sleep(self._profile.settle_seconds)
        return beside(attack, answers, took, phase, self._bounds)

    def _observe(self, shards: Sequence[Client], over: Callable[[float], bool]) -> TimesByVictim:
        """Watches the victims until `over`, of the seconds that have passed, returns true."""
        victims = self._tenants.victims
        started = self._clock.monotonic()
        # The watch is tolerant, because ClickHouse may refuse queries during an attack.
        with SearchableWatch(shards, self._clock, _POLL_SECONDS, tolerant=True) as watch:
            with ThreadPoolExecutor(len(victims), thread_name_prefix="victims") as pool:
                living = {
                    name: pool.submit(victim.live, lambda: over(self._clock.monotonic() - started), watch.acknowledged)
                    for name, victim in victims.items()
                }
            times = {name: future.result() for name, future in living.items()}
            watch.finish(SEEN_SECONDS)
        names = {victim.sender.tenant_id: name for name, victim in victims.items()}
        for answer, delay in watch.delays:
            times[names[answer.sender.tenant_id]].delays.append(delay)
        return times

    def _drain(self) -> None:
        wait_until_loaded(self._stack.settings, self._clock, _LOADED_SECONDS)
