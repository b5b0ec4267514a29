"""Plans a page and reads it, step by step."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass

from backend.store.costs import Costs
from backend.store.execute import Executor
from backend.store.plans.capabilities import CapabilitiesOfTables
from backend.store.plans.choose import Choice, choose
from backend.store.plans.extent import Extent, Extents
from backend.store.plans.one_range import READ_RANGE
from backend.store.plans.plan import Plan
from backend.store.plans.question import PageQuestion
from backend.store.plans.step import Step
from backend.store.plans.windowed import read_windowed
from kit.clock import Clock
from kit.settings import Settings


@dataclass(frozen=True, slots=True)
class Planned:
    """How a page will be read, and how much there is where it is looked for."""

    question: PageQuestion
    choice: Choice
    extent: Extent


class PageReader:
    def __init__(self, settings: Settings, executor: Executor, clock: Clock) -> None:
        self._settings = settings
        self._executor = executor
        self._capabilities = CapabilitiesOfTables(executor, clock)
        self._extents = Extents(executor, clock)
        self._costs = Costs()

    async def plan(self, question: PageQuestion, asked: Plan) -> Planned:
        """Raises what Executor.run raises."""
        choice = choose(question.matching, await self._capabilities.of(question.scope), asked)
        return Planned(question, choice, await self._extents.of(question.scope, question.open_range))

    async def read(self, planned: Planned) -> AsyncGenerator[Step]:
        """Steps until the page is full or the range ends; whoever stops iterating stops the reading.

        Raises what Executor.run raises.
        """
        question, choice = planned.question, planned.choice
        read_range = READ_RANGE[choice.inside]
        if choice.plan is not Plan.windowed:
            answer = await read_range(self._executor, question)
            self._costs.count(answer, choice.plan)
            yield Step(answer, question.open_range)
            return
        limit_seconds = self._settings.query_max_seconds
        async for step in read_windowed(self._executor, question, read_range, planned.extent, limit_seconds):
            self._costs.count(step.answer, choice.plan)
            yield step
