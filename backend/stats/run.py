"""Runs the statements of one answer, and adds up their cost."""

from collections.abc import Sequence
from typing import TypeVar

from backend.store.rows import NO_COST
from backend.store.runs import Runs
from backend.store.statement import Statement

R = TypeVar("R")


class Run:
    """The statements of one answer."""

    def __init__(self, runs: Runs) -> None:
        self._runs = runs
        self.statements = 0
        """Number of statements that have been run."""
        self.cost = NO_COST
        """Cost of all statements together."""

    async def rows(self, statement: Statement[R]) -> Sequence[R]:
        """Returns the statement's rows. Raises what Executor.run raises."""
        answer = await self._runs.run(statement)
        self.statements += 1
        self.cost += answer.cost
        return answer.rows
