"""Base classes of studies' reports.

The command's line of JSON, the stored result and the page in docs/benchmarks are all made from a report.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from pydantic import BaseModel, ConfigDict, computed_field


@dataclass(frozen=True, slots=True)
class Row:
    """A measured value with its goal, as the index shows them. `met` is None if there is no goal."""

    what: str
    measured: str
    goal: str = ""
    met: bool | None = None
    firm: bool = False
    """True if small runs must meet the goal too, because it does not depend on the machine's speed."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table of a study's page. The first column is text, the others are numbers."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture of a study's page. `draw` writes it into a file, and raises InvalidRequest without matplotlib."""

    name: str
    """Name of the picture's file, in the folder of the page."""
    shows: str
    """Description of the picture for readers who cannot see it."""
    draw: Callable[[Path], None]


class Part(BaseModel):
    """A value within a report.

    pydantic builds the class at its first use, because each `logsieve` command imports all reports.
    """

    model_config = ConfigDict(frozen=True, extra="ignore", ser_json_inf_nan="constants", defer_build=True)


class Report(Part, ABC):
    """All results of a study. Fields with a default may be missing in older files of results."""

    smoke: bool = False
    """True if the run was too small to compare its times with the goals."""
    amounts: ClassVar[tuple[str, ...]] = ()
    """Names of the fields with the size of the run, such as a number of records."""

    @computed_field  # type: ignore[prop-decorator]  # mypy does not support decorated properties
    @property
    def passed(self) -> bool:
        """True if no goal was missed. A small run ignores goals that are not firm."""
        return all(row.met is not False for row in self.headline() if row.firm or not self.smoke)

    @property
    def variant(self) -> str:
        """Text in the result's file name that separates results of one study, such as those of two services."""
        return ""

    def extent(self) -> Mapping[str, float]:
        """Returns the amount of each part of the study that the run measured, by the part's name.

        A result replaces a stored one only if it has at least as much of each part.
        """
        return {name: getattr(self, name) for name in self.amounts}

    @abstractmethod
    def headline(self) -> tuple[Row, ...]:
        """Returns the most important values, those with goals first."""

    def tables(self) -> tuple[Table, ...]:
        """Returns further tables of the study's page."""
        return ()

    def pictures(self) -> tuple[Picture, ...]:
        """Returns the pictures that the study's page shows above its tables."""
        return ()


def at_most(what: str, measured: float, goal: float, form: str = ".2f", unit: str = "") -> Row:
    """Returns the row of a value that must not exceed its goal. `form` is the value's format specification."""
    return Row(what, f"{measured:{form}}{unit}", f"at most {goal:g}{unit}", measured <= goal)


def at_least(what: str, measured: float, goal: float, form: str = ".1f") -> Row:
    """Returns the row of a value that must reach its goal. `form` is the value's format specification."""
    return Row(what, f"{measured:{form}}", f"at least {goal:g}", measured >= goal)


def none_of(what: str, wrong: int, *, also: bool = True, firm: bool = True) -> Row:
    """Returns the row of a count that must be 0. `also` is a further condition for meeting the goal."""
    return Row(what, f"{wrong:,}", "0", wrong == 0 and also, firm)
