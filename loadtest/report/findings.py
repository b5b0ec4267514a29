"""What a study found: the part of its line of JSON that is kept and shown."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict


@dataclass(frozen=True, slots=True)
class Row:
    """A number as the index shows it; `met` is None without a goal."""

    what: str
    measured: str
    goal: str = ""
    met: bool | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """Of a study's own page. The first column is text, the others are numbers."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Picture:
    """Of a study's own page; `draw` writes it into a file, and raises InvalidRequest without matplotlib."""

    name: str
    """Name of the file beside the page."""
    shows: str
    """What those read who do not see it."""
    draw: Callable[[Path], None]


class Findings(BaseModel, ABC):
    """Fields are named as in the line that the command prints; what is not declared is not kept."""

    model_config = ConfigDict(frozen=True, extra="ignore", ser_json_inf_nan="constants")

    passed: bool = True

    @property
    def variant(self) -> str:
        """Tells results of one study apart that stand beside each other, as of two services; part of a file's name."""
        return ""

    @abstractmethod
    def headline(self) -> tuple[Row, ...]:
        """The numbers that matter, those with goals first."""

    def tables(self) -> tuple[Table, ...]:
        """What else the page shows."""
        return ()

    def picture(self) -> Picture | None:
        """Returns what the page shows above its tables."""
        return None


class Correctness(BaseModel):
    """Records that are wrong, of a study that counts all of them."""

    model_config = Findings.model_config

    lost: int
    doubled: int
    foreign: int

    @property
    def wrong(self) -> int:
        return self.lost + self.doubled + self.foreign
