"""The study: victims alone, beside one attack after the other, and alone again."""

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final

from kit.clickhouse import connect_shards
from kit.clock import Clock
from kit.errors import Unavailable
from loadtest.hostile.attack import Answers, Attack, Effort, Target
from loadtest.hostile.attacking import AttackProcess, attack_process
from loadtest.hostile.footprint import MemoryBounds
from loadtest.hostile.phase import Phase, Stage
from loadtest.hostile.tenants import create_tenants, send_history
from loadtest.own_stack import OwnStack, Say
from loadtest.topic import wait_until_loaded
from loadtest.verdict import Verdict, judge

FLOOD_BYTES_PER_SECOND: Final = 100_000
"""Limit of the tenant whose flood is to be refused, in decompressed bytes."""

_LOADED_SECONDS: Final = 300.0
_POLL_SECONDS: Final = 0.1


@dataclass(frozen=True, slots=True)
class Profile:
    """How long victims are watched, in seconds, how much the attacker's tenant has, and how hard attacks may try."""

    alone_seconds: float
    beside_seconds: float
    history: int
    """Requests of 512 records that the first attacking tenant has sent before."""
    settle_seconds: float | None
    """Between the end of one attack, when everything is loaded, and the next; None where one follows the other at once
    and victims are watched beside all of them together."""
    effort: Effort
    settings: Mapping[str, str]
    """Variables that the stack runs with instead of the shipped settings."""


FULL: Final = Profile(
    alone_seconds=40.0,
    beside_seconds=12.0,
    history=400,
    settle_seconds=2.0,
    effort=Effort(
        seconds=10.0, requests=200, connections=1_500, hold_seconds=15.0, tries=1, names=950_000, rows=60_000
    ),
    settings={},
)
SMOKE: Final = Profile(
    alone_seconds=1.0,
    beside_seconds=0.5,
    history=2,
    settle_seconds=None,
    effort=Effort(seconds=0.5, requests=2, connections=90, hold_seconds=60.0, tries=5, names=5_000, rows=12_000),
    settings={
        "LOGSIEVE_CONTROL_REFRESH_SECONDS": "0.2",
        "LOGSIEVE_CONNECTIONS_PER_ADDRESS": "60",
        "LOGSIEVE_HTTP_HEAD_SECONDS": "3",
        "LOGSIEVE_HTTP_IDLE_SECONDS": "2",
        "LOGSIEVE_GRPC_IDLE_SECONDS": "2",
        "LOGSIEVE_INSERT_MAX_MEMORY": str(96 * 2**20),
        "LOGSIEVE_LOADER_BATCH_SECONDS": "0.1",
        "LOGSIEVE_TAIL_MAX_PER_TENANT": "10",
        "LOGSIEVE_WRONG_KEYS_PER_MINUTE": "10",
    },
)
"""With limits that a small attack can reach."""


@dataclass(frozen=True, slots=True)
class Attacked:
    """One attack, what it was answered, and the phase beside it."""

    attack: Attack
    answers: Answers
    seconds: float
    """Until it had its last answer."""
    phase: Phase


@dataclass(frozen=True, slots=True)
class Measured:
    """`first` and `last` are the victims alone, before and after all attacks."""

    first: Phase
    last: Phase
    attacked: tuple[Attacked, ...]
    verdict: Verdict
    dead_letters: Counter[str]
    """By code; all of them are attackers' messages, or the verdict would miss records."""
    bounds: MemoryBounds
    profile: Profile


class HostileMeasurement:
    """On one stack with its shipped settings."""

    def __init__(self, stack: OwnStack, profile: Profile, seed: int, clock: Clock, say: Say) -> None:
        self._stack = stack
        self._profile = profile
        self._seed = seed
        self._clock = clock
        self._say = say

    def measure(self, attacks: Sequence[Attack]) -> Measured:
        """Raises Unavailable when the stack does not recover from an attack."""
        tenants = create_tenants(self._stack, self._seed, self._clock)
        target, victims = tenants.target, tenants.victims
        self._say("the attacker's own records")
        send_history(self._stack.otlp_http, target.ingest_keys[0], self._profile.history, self._clock)
        limit = str(FLOOD_BYTES_PER_SECOND)
        self._stack.logsieve("tenant", "limits", tenants.flooding, "--bytes-per-second", limit, "--json")
        self._drain()
        with connect_shards(self._stack.settings) as shards, attack_process() as attacking:
            stage = Stage(victims, self._stack.services, shards, self._clock)
            self._say("warming up")
            stage.alone(self._profile.alone_seconds / 4)
            self._say("victims alone")
            first = stage.alone(self._profile.alone_seconds)
            if self._profile.settle_seconds is None:
                attacked = self._beside_all(stage, attacking, attacks, target)
            else:
                attacked = tuple(self._beside(stage, attacking, attack, target) for attack in attacks)
            self._say("victims alone again")
            last = stage.alone(self._profile.alone_seconds)
        self._drain()
        self._say("comparing what was sent with what is stored")
        sent = {victim.sender.tenant_id: victim.sent for victim in victims.values()}
        verdict = judge(sent, self._stack.settings, self._clock, tenants.others)
        letters = self._stack.logsieve("dead", "list", "--json")
        codes = Counter(str(each["code"]) for each in letters or ())
        return Measured(first, last, attacked, verdict, codes, MemoryBounds.of(self._stack.settings), self._profile)

    def _beside(self, stage: Stage, attacking: AttackProcess, attack: Attack, target: Target) -> Attacked:
        attacking.prepare(attack, target, self._profile.effort)
        phase = stage.beside(self._profile.beside_seconds, attacking.begin, lambda: attacking.ended)
        answers, seconds = self._outcome(attacking, attack)
        self._recover()
        self._drain()
        time.sleep(self._profile.settle_seconds or 0.0)
        return Attacked(attack, answers, seconds, phase)

    def _beside_all(
        self, stage: Stage, attacking: AttackProcess, attacks: Sequence[Attack], target: Target
    ) -> tuple[Attacked, ...]:
        """One phase that all attacks share."""

        def run(attack: Attack) -> tuple[Answers, float]:
            attacking.prepare(attack, target, self._profile.effort)
            attacking.begin()
            return self._outcome(attacking, attack)

        with ThreadPoolExecutor(1, thread_name_prefix="attacks") as pool:
            running: list[Future[tuple[Answers, float]]] = []
            phase = stage.beside(
                self._profile.beside_seconds,
                lambda: running.extend(pool.submit(run, attack) for attack in attacks),
                lambda: running[-1].done(),
            )
            outcomes = [each.result() for each in running]
        self._recover()
        return tuple(Attacked(each, *outcome, phase) for each, outcome in zip(attacks, outcomes, strict=True))

    def _outcome(self, attacking: AttackProcess, attack: Attack) -> tuple[Answers, float]:
        answers, seconds = attacking.outcome(self._profile.effort)
        told = ", ".join(f"{answer}: {times}" for answer, times in sorted(answers.items()))
        self._say(f"{attack.name}: answered {told} in {seconds:.1f} s; documented: {attack.documented}")
        return answers, seconds

    def _recover(self) -> None:
        """Until every service is ready. Raises Unavailable when one is not in time."""
        deadline = self._clock.monotonic() + _LOADED_SECONDS
        while not self._stack.services.ready():
            if self._clock.monotonic() > deadline:
                raise Unavailable(f"the stack is not ready {_LOADED_SECONDS:g} s after an attack")
            time.sleep(_POLL_SECONDS)

    def _drain(self) -> None:
        wait_until_loaded(self._stack.settings, self._clock, _LOADED_SECONDS)
