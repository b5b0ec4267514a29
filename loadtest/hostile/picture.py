"""Draws the study's picture: a line for each attack, with a dot for each time that victims measured beside it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from loadtest.chart import styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_WIDTH: Final = 10.5
_LINE_INCHES: Final = 0.2
_REST_INCHES: Final = 1.6
_MARKERS: Final = ("o", "D", "s")
_GOAL: Final = "#b91c1c"
_BEYOND: Final = 3.0
"""Factor between the largest value, which may be the goal, and the place of crosses for missing values."""


@dataclass(frozen=True, slots=True)
class Measure:
    """One part of the picture, with a logarithmic axis.

    `series` has one value for each attack, in their order. None means that too many requests were refused.
    """

    label: str
    series: Mapping[str, Sequence[float | None]]
    goal: float
    """Largest value that meets the goal."""


def draw(file: Path, attacks: Sequence[str], measures: Sequence[Measure]) -> None:
    """Draws the parts beside each other into `file`. Raises InvalidRequest if matplotlib is not installed."""
    with styled(file, _WIDTH, _REST_INCHES + _LINE_INCHES * len(attacks)) as figure:
        figure.suptitle("Victims beside each attack", x=0.01, ha="left")
        parts = figure.subplots(1, len(measures), sharey=True, squeeze=False)[0]
        for axes, measure in zip(parts, measures, strict=True):
            _draw(axes, measure)
        parts[0].set_yticks(range(len(attacks)), attacks)
        parts[0].set_ylim(len(attacks) - 0.5, -0.5)


def _draw(axes: "Axes", measure: Measure) -> None:
    known = [value for values in measure.series.values() for value in values if value is not None]
    beyond = _BEYOND * max([measure.goal, *known])
    axes.set_xscale("log")
    axes.set_xlabel(measure.label)
    axes.xaxis.set_major_formatter("{x:,g}")
    axes.axvline(measure.goal, color=_GOAL, linewidth=1.2, label=f"goal: at most {measure.goal:g}")
    refused: list[int] = []
    for marker, (name, values) in zip(_MARKERS, measure.series.items(), strict=False):
        there = [(value, line) for line, value in enumerate(values) if value is not None]
        refused += [line for line, value in enumerate(values) if value is None]
        axes.plot([value for value, _ in there], [line for _, line in there], marker, ms=4.5, alpha=0.85, label=name)
    if refused:
        axes.plot([beyond] * len(refused), refused, "x", color=_GOAL, ms=6, label="too many refused or not found")
    axes.legend(frameon=False, fontsize=8, loc="lower left", bbox_to_anchor=(0, 1))
