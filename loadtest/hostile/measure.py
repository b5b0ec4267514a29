"""Measures victims alone, beside one attack after the other, and alone again. Adds each step to the journal."""

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from kit.clickhouse import connect_shards
from kit.errors import Unavailable
from loadtest.bench import Bench
from loadtest.hostile.attack import Answers, Attack
from loadtest.hostile.attacking import AttackProcess, attack_process
from loadtest.hostile.footprint import MemoryBounds
from loadtest.hostile.profile import Profile
from loadtest.hostile.queues import in_queues
from loadtest.hostile.report import Beside
from loadtest.hostile.stage import Phase, Stage
from loadtest.hostile.steps import Step, attacked, beside, complete
from loadtest.hostile.tenants import Tenants, create_tenants, send_history
from loadtest.journal import Journal
from loadtest.own_stack import OwnStack
from loadtest.report.correctness import Correctness
from loadtest.topic import wait_until_loaded
from loadtest.verdict import judge

FLOOD_BYTES_PER_SECOND: Final = 100_000
"""Limit of the tenant whose flood must be refused, in decompressed bytes per second."""

_LOADED_SECONDS: Final = 300.0


class HostileMeasurement:
    """The steps of the study on one stack. Attacks that the journal already has are not repeated."""

    def __init__(self, bench: Bench, stack: OwnStack, profile: Profile, journal: Journal[Step]) -> None:
        self._stack = stack
        self._profile = profile
        self._journal = journal
        self._seed = bench.seed
        self._clock = bench.clock
        self._say = bench.say
        self._bounds = MemoryBounds.of(stack.settings)
        self._wrong = Correctness()
        self._dead_letters: Counter[str] = Counter()

    def measure(self, attacks: Sequence[Attack]) -> None:
        """Adds a step for each attack that the journal does not have, with the victims alone before and after them.

        Raises Unavailable if an attack does not end or the stack does not recover from it. The step of that attack
        then has the error as an answer, and the next run starts with the following attack.
        """
        if self._journal.steps and complete(self._journal.steps, attacks):
            return
        done = {each.name for each in attacked(self._journal.steps)}
        todo = [attack for attack in attacks if attack.name not in done]
        if done:
            self._say(
                f"{len(done)} of {len(attacks)} attacks were made by a run that ended early; going on with the rest"
            )
        tenants = create_tenants(self._stack, self._seed, self._clock)
        self._say("the attacker's own records")
        send_history(self._stack.otlp_http, tenants.target.ingest_keys[0], self._profile.history, self._clock)
        limit = str(FLOOD_BYTES_PER_SECOND)
        self._stack.logsieve("tenant", "limits", tenants.flooding, "--bytes-per-second", limit, "--json")
        self._drain()
        with connect_shards(self._stack.settings) as shards:
            stage = Stage(tenants.victims, self._stack.services, shards, self._clock)
            self._say("warming up")
            stage.alone(self._profile.alone_seconds / 4)
            if todo:
                self._alone(stage, tenants)
                if self._profile.settle_seconds is None:
                    self._beside_all(stage, todo, tenants)
                else:
                    self._beside_each(stage, todo, tenants, self._profile.settle_seconds)
            self._alone(stage, tenants)

    def _alone(self, stage: Stage, tenants: Tenants) -> None:
        self._say("victims alone")
        phase = stage.alone(self._profile.alone_seconds)
        self._drain()
        self._keep(tenants, alone=phase)

    def _beside_each(self, stage: Stage, attacks: Sequence[Attack], tenants: Tenants, settle_seconds: float) -> None:
        with attack_process() as attacking:
            for attack in attacks:
                self._beside(stage, attacking, attack, tenants)
                time.sleep(settle_seconds)

    def _beside(self, stage: Stage, attacking: AttackProcess, attack: Attack, tenants: Tenants) -> None:
        attacking.prepare(attack, tenants.target, self._profile.effort)
        phase = stage.beside(self._profile.beside_seconds, attacking.start, lambda: attacking.ended)
        answers: Answers = Counter()
        seconds, failure = self._profile.beside_seconds, None
        try:
            answers, seconds = attacking.outcome(self._profile.effort)
            self._report(attack, answers, seconds)
            self._stack.services.wait_until_ready(self._clock, _LOADED_SECONDS)
            self._drain()
        except Unavailable as error:
            failure = error
            answers[f"failed: {error.detail}"] += 1
        found = beside(attack, answers, seconds, phase, self._bounds)
        if failure is not None:
            self._journal.add(Step(beside=found))
            raise failure
        self._keep(tenants, attack=found)

    def _beside_all(self, stage: Stage, attacks: Sequence[Attack], tenants: Tenants) -> None:
        """Runs all attacks while the victims are watched once. All their steps share the victims' times."""
        with in_queues(attacks, tenants.target, self._profile.effort, self._report) as running:
            phase = stage.beside(self._profile.beside_seconds, running.start, running.ended)
            outcomes = running.outcomes()
        self._stack.services.wait_until_ready(self._clock, _LOADED_SECONDS)
        self._drain()
        for attack in attacks:
            answers, seconds = outcomes[attack.name]
            self._journal.add(Step(beside=beside(attack, answers, seconds, phase, self._bounds)))

    def _keep(self, tenants: Tenants, alone: Phase | None = None, attack: Beside | None = None) -> None:
        """Adds a step, with the records that are wrong and were not wrong at the end of the previous step."""
        sent = {victim.sender.tenant_id: victim.sent for victim in tenants.victims.values()}
        now = judge(sent, self._stack.settings, self._clock, tenants.others)
        new = now.since(self._wrong)
        dead_letters = Counter(str(each["code"]) for each in self._stack.logsieve("dead", "list", "--json") or ())
        self._journal.add(
            Step(
                alone=None if alone is None else dict(alone.felt),
                beside=attack,
                lost=new.lost,
                doubled=new.doubled,
                foreign=new.foreign,
                dead_letters=dict(dead_letters - self._dead_letters),
            )
        )
        self._wrong, self._dead_letters = now, dead_letters

    def _report(self, attack: Attack, answers: Mapping[str, int], seconds: float) -> None:
        counted = ", ".join(f"{answer}: {times}" for answer, times in sorted(answers.items()))
        self._say(f"{attack.name}: answered {counted} in {seconds:.1f} s; documented: {attack.documented}")

    def _drain(self) -> None:
        wait_until_loaded(self._stack.settings, self._clock, _LOADED_SECONDS)
