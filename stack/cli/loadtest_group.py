"""The group `logsieve loadtest`, whose commands are made when one of them is looked for.

No other command needs the studies, and importing all of them takes longer than the rest of many commands.
"""

from collections.abc import MutableMapping
from typing import Any

import typer
from typer.core import TyperGroup


class LoadtestGroup(TyperGroup):
    """A command for each study, and `report`."""

    _made: MutableMapping[str, Any] | None = None

    @property
    def commands(self) -> MutableMapping[str, Any]:
        """Commands by name. Imports the studies at the first use."""
        if self._made is None:
            self._made = _commands()
        return self._made

    @commands.setter
    def commands(self, given: MutableMapping[str, Any]) -> None:
        """Takes no commands: Typer gives those that were registered before, which are none."""


def _commands() -> MutableMapping[str, Any]:
    from loadtest.studies import STUDIES
    from stack.cli.loadtest import command
    from stack.cli.loadtest_report import report

    app = typer.Typer()
    for name, study in STUDIES.items():
        app.command(name)(command(study))
    app.command("report")(report)
    return dict(typer.main.get_group(app).commands)
