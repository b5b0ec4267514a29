"""The declaration of a study: its name, its options, how it runs, what it reports, and where its page comes from."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import typer

from kit.errors import InvalidRequest
from loadtest.report.report import Report

_FOLDER: Final = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Study:
    """One `logsieve loadtest` command.

    `run` takes a Bench and the study's options, which are declared as Typer's; its docstring is the command's help.
    The options --seed, --keep, --write and --json are added to them.
    """

    name: str
    title: str
    report: type[Report]
    run: Callable[..., Report]
    smoke: tuple[str, ...]
    """Arguments of a run of about a minute, which shows that everything works and measures nothing."""
    takes_seed: bool = True
    takes_keep: bool = True
    own_page: str = ""
    """Name of the page in docs/benchmarks where it is not the study's."""

    @property
    def page(self) -> str:
        """Name of the study's page in docs/benchmarks."""
        return self.own_page or f"{self.name}.md"

    @property
    def method(self) -> Path:
        """Markdown file that says how the study measures: the beginning of its page."""
        return _FOLDER / self.name / "method.md"


@contextmanager
def checked_options() -> Iterator[None]:
    """Turns an InvalidRequest within the block into an error of command usage."""
    try:
        yield
    except InvalidRequest as error:
        raise typer.BadParameter(error.detail) from error


def profile_is_smoke(profile: str) -> bool:
    """Returns whether --profile is `smoke`. Raises BadParameter when it is neither `full` nor `smoke`."""
    if profile not in ("full", "smoke"):
        raise typer.BadParameter(f"--profile is {profile!r}; it can be full or smoke")
    return profile == "smoke"
