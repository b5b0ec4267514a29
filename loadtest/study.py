"""Declaration of a study: its name, options, function, report and page."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import typer

from loadtest.report.report import Report

_FOLDER: Final = Path(__file__).parent

Smoke = Annotated[bool, typer.Option("--smoke", help="Run a small study in a few minutes. Its times mean nothing.")]
"""Option of studies with a small version."""
Home = Annotated[
    Path | None, typer.Option("--home", help="Folder of the study and its data. A later run of the same study uses it.")
]
"""Option of studies whose data remain after the command."""


@dataclass(frozen=True, slots=True)
class Study:
    """One `logsieve loadtest` command.

    `run` takes a Bench and the study's options, which are declared as options of Typer. Its docstring is the command's
    help. The command also has the options --seed (with `takes_seed`), --write and --json.
    """

    name: str
    title: str
    report: type[Report]
    run: Callable[..., Report]
    smoke: tuple[str, ...]
    """Arguments of a run of about a minute, which shows that the study works, but whose numbers mean nothing."""
    takes_seed: bool = True
    own_page: str = ""
    """File name of the page in docs/benchmarks, if it is not made from the study's name."""

    @property
    def page(self) -> str:
        """File name of the study's page in docs/benchmarks."""
        return self.own_page or f"{self.name}.md"

    @property
    def method(self) -> Path:
        """Path of the Markdown file that describes the measurement. The study's page begins with its text."""
        return _FOLDER / self.name / "method.md"
