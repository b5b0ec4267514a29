"""Tests that an evaluation writes only the groups that it changes, on both databases."""

from pathlib import Path
from typing import Any

from sqlalchemy import event, select

from backend.alerts.tests.test_evaluations import PAY, WEB
from backend.alerts.tests.world import World, content, run
from schema.control.alert_models import AlertGroup


class Writes:
    """Collects the statements that write groups, with the values of their parameters as text."""

    def __init__(self, world: World) -> None:
        self._found = list[tuple[str, str]]()
        event.listen(world.engine.sync_engine, "before_cursor_execute", self._note)

    def take(self) -> list[tuple[str, str]]:
        """Returns the first word and the values of each statement since the last call."""
        found, self._found = self._found, []
        return found

    def _note(self, _connection: Any, _cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        if "alert_group" in statement and not statement.startswith("SELECT"):
            self._found.append((statement.split()[0], str(parameters)))


async def values_by_group(world: World) -> list[tuple[str, float | None]]:
    async with world.engine.connect() as connection:
        rows = await connection.execute(select(AlertGroup.group, AlertGroup.value).order_by(AlertGroup.group))
        return [(group, value) for group, value in rows]


def test_an_evaluation_writes_only_the_groups_that_it_changes(tmp_path: Path, control_url: str) -> None:
    async def use(world: World) -> None:
        await world.service.create(world.acme, content())
        writes = Writes(world)

        await world.minute({WEB: 6.0, PAY: 7.0})
        assert [word for word, _ in writes.take()] == ["INSERT"]
        await world.minute({WEB: 6.0, PAY: 7.0})
        assert writes.take() == []
        await world.minute({WEB: 8.0, PAY: 7.0})
        ((word, values),) = writes.take()
        assert (word, "8.0" in values, "7.0" in values) == ("UPDATE", True, False)
        assert "web" not in values, "the values of a group, which may be long, are written once"
        assert await values_by_group(world) == [('["pay"]', 7.0), ('["web"]', 8.0)]
        await world.minute({WEB: 8.0})
        assert [word for word, _ in writes.take()] == ["DELETE"]
        assert await values_by_group(world) == [('["web"]', 8.0)]

    run(tmp_path, control_url, use)
