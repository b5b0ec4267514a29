"""Reports of studies: a line of JSON of the command, a file that is kept, and rows and tables of pages."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, computed_field


@dataclass(frozen=True, slots=True)
class Row:
    """A number as the index shows it; `met` is None without a goal."""

    what: str
    measured: str
    goal: str = ""
    met: bool | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """A table of a study's page. The first column is text, the others are numbers."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture of a study's page; `draw` writes it into a file, and raises InvalidRequest without matplotlib."""

    name: str
    """Name of the file beside the page."""
    shows: str
    """Description for readers who do not see it."""
    draw: Callable[[Path], None]


class Part(BaseModel):
    """A value within a report. Its class is made complete at its first use, because every command imports all."""

    model_config = ConfigDict(frozen=True, extra="ignore", ser_json_inf_nan="constants", defer_build=True)


class Report(Part, ABC):
    """All results of a study. Fields with a default may be missing in files from before the field existed."""

    smoke: bool = False
    """True if the run was too small to compare its numbers with the goals."""

    @computed_field  # type: ignore[prop-decorator]  # mypy knows no decorated property
    @property
    def passed(self) -> bool:
        """Returns true if no goal was missed."""
        return self.smoke or all(row.met is not False for row in self.headline())

    @property
    def variant(self) -> str:
        """Part of the result's file name. Keeps results of one study apart, such as those of two services."""
        return ""

    @abstractmethod
    def headline(self) -> tuple[Row, ...]:
        """Returns the numbers that matter, those with goals first."""

    def tables(self) -> tuple[Table, ...]:
        """Returns what else the page shows."""
        return ()

    def pictures(self) -> tuple[Picture, ...]:
        """Returns the pictures above the page's tables."""
        return ()


def at_most(what: str, measured: float, goal: float, form: str = ".2f", unit: str = "") -> Row:
    """Returns the row of a number that shall not exceed its goal."""
    return Row(what, f"{measured:{form}}{unit}", f"at most {goal:g}{unit}", measured <= goal)


def at_least(what: str, measured: float, goal: float, form: str = ".1f") -> Row:
    """Returns the row of a number that shall reach its goal."""
    return Row(what, f"{measured:{form}}", f"at least {goal:g}", measured >= goal)


def none_of(what: str, wrong: int, *, also: bool = True) -> Row:
    """Returns the row of a count that shall be zero; `also`: whether everything else that the row stands for holds."""
    return Row(what, f"{wrong:,}", "0", wrong == 0 and also)
