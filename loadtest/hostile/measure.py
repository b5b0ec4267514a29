"""Measures victims alone, beside one attack after the other, and alone again."""

import time
from collections import Counter
from collections.abc import Sequence
from typing import Final

from kit.clickhouse import connect_shards
from kit.errors import Unavailable
from loadtest.bench import Bench
from loadtest.hostile.attack import Answers, Attack, Target
from loadtest.hostile.attacking import attack_process
from loadtest.hostile.footprint import MemoryBounds
from loadtest.hostile.profile import Profile
from loadtest.hostile.report import Beside, HostileReport
from loadtest.hostile.results import beside, hostile_report
from loadtest.hostile.stage import Stage
from loadtest.hostile.tenants import create_tenants, send_history
from loadtest.own_stack import OwnStack
from loadtest.topic import wait_until_loaded
from loadtest.verdict import judge

FLOOD_BYTES_PER_SECOND: Final = 100_000
"""Limit of the tenant whose flood must be refused, in decompressed bytes per second."""

_LOADED_SECONDS: Final = 300.0


class HostileMeasurement:
    """The phases of the study on one stack."""

    def __init__(self, bench: Bench, stack: OwnStack, profile: Profile) -> None:
        self._bench = bench
        self._stack = stack
        self._profile = profile
        self._clock = bench.clock
        self._say = bench.say
        self._bounds = MemoryBounds.of(stack.settings)

    def measure(self, attacks: Sequence[Attack]) -> HostileReport:
        """Measures all phases. Raises Unavailable if the stack does not recover from an attack."""
        tenants = create_tenants(self._stack, self._bench.seed, self._clock)
        self._say("the attacker's own records")
        send_history(self._stack.otlp_http, tenants.target.ingest_keys[0], self._profile.history, self._clock)
        limit = str(FLOOD_BYTES_PER_SECOND)
        self._stack.logsieve("tenant", "limits", tenants.flooding, "--bytes-per-second", limit, "--json")
        self._drain()
        with connect_shards(self._stack.settings) as shards:
            stage = Stage(tenants.victims, self._stack.services, shards, self._clock)
            self._say("warming up")
            stage.alone(self._profile.alone_seconds / 4)
            first = stage.alone(self._profile.alone_seconds)
            self._drain()
            found = [self._beside(stage, attack, tenants.target) for attack in attacks]
            last = stage.alone(self._profile.alone_seconds)
            self._drain()
        sent = {victim.sender.tenant_id: victim.sent for victim in tenants.victims.values()}
        return hostile_report(
            (first.felt, last.felt),
            found,
            self._bounds,
            Counter(str(each["code"]) for each in self._stack.logsieve("dead", "list", "--json") or ()),
            judge(sent, self._stack.settings, self._clock, tenants.others),
        )

    def _beside(self, stage: Stage, attack: Attack, target: Target) -> Beside:
        """Watches the victims beside one attack. An attack that does not end has the error as an answer."""
        answers: Answers = Counter()
        seconds = self._profile.beside_seconds
        with attack_process() as attacking:
            attacking.prepare(attack, target, self._profile.effort)
            phase = stage.beside(seconds, attacking.start, lambda: attacking.ended)
            try:
                answers, seconds = attacking.outcome(self._profile.effort)
            except Unavailable as error:
                answers[f"failed: {error.detail}"] += 1
        counted = ", ".join(f"{answer}: {times}" for answer, times in sorted(answers.items()))
        self._say(f"{attack.name}: answered {counted} in {seconds:.1f} s; documented: {attack.documented}")
        self._stack.services.wait_until_ready(self._clock, _LOADED_SECONDS)
        self._drain()
        time.sleep(self._profile.settle_seconds)
        return beside(attack, answers, seconds, phase, self._bounds)

    def _drain(self) -> None:
        wait_until_loaded(self._stack.settings, self._clock, _LOADED_SECONDS)
