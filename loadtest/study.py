"""The declaration of a study: its name, its options, how it runs, what it reports, and where its page comes from."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import typer

from kit.errors import InvalidRequest
from loadtest.report.report import Report

_FOLDER: Final = Path(__file__).parent

WritePage = Callable[[Any, str, str, Path], None]
"""Writes a study's own page and pictures: takes its report, the command, the machine and the folder."""


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
    write_page: WritePage | None = None
    """None where the page is made of the kept results and of method.md in the study's folder."""

    @property
    def page(self) -> str:
        """Name of the study's page in docs/benchmarks."""
        return self.own_page or f"{self.name}.md"

    @property
    def method(self) -> Path | None:
        """Markdown file that says how the study measures; None where the study writes its page itself."""
        return _FOLDER / self.name / "method.md" if self.write_page is None else None


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
