"""The group `logsieve loadtest`: a command for each study, and `report`."""

from collections.abc import MutableMapping
from typing import Any

import typer

from stack.cli.checked_command import CheckedCommand
from stack.cli.lazy_group import LazyGroup


class LoadtestGroup(LazyGroup):
    """Imports the studies, because they say which commands there are."""

    def table(self) -> MutableMapping[str, Any]:
        """Returns the commands by name."""
        from loadtest.studies import STUDIES
        from stack.cli.loadtest import command
        from stack.cli.loadtest_report import report

        app = typer.Typer()
        for name, study in STUDIES.items():
            app.command(name, cls=CheckedCommand)(command(study))
        app.command("report", cls=CheckedCommand)(report)
        return dict(typer.main.get_group(app).commands)
