"""The group `logsieve loadtest`, which makes its commands only when one of them is looked up.

No other command needs the studies, and importing all of them takes longer than many commands run.
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
        """Ignores its argument: Typer passes the commands that were registered before, and there are none."""


def _commands() -> MutableMapping[str, Any]:
    from loadtest.studies import STUDIES
    from stack.cli.loadtest import command
    from stack.cli.loadtest_report import report

    app = typer.Typer()
    for name, study in STUDIES.items():
        app.command(name)(command(study))
    app.command("report")(report)
    return dict(typer.main.get_group(app).commands)
