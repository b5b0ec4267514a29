"""Draws the study's picture: a horizontal bar for each side and question, on a logarithmic scale."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from loadtest.chart import styled

_WIDTH: Final = 9.0
_BAR_INCHES: Final = 0.14
_REST_INCHES: Final = 1.2
_THICKNESS: Final = 0.8


def draw(file: Path, title: str, questions: Sequence[str], series: Mapping[str, Sequence[float]]) -> None:
    """Draws the picture into `file`. `series` has for each side the milliseconds of each question.

    Raises InvalidRequest if matplotlib is not installed.
    """
    bar = _THICKNESS / len(series)
    with styled(file, _WIDTH, _REST_INCHES + _BAR_INCHES * len(questions) * (len(series) + 1)) as figure:
        axes = figure.subplots()
        axes.set_xscale("log")
        axes.set_xlabel("ms")
        axes.xaxis.set_major_formatter("{x:,g}")
        for place, (name, values) in enumerate(series.items()):
            lines = [line - _THICKNESS / 2 + (place + 0.5) * bar for line in range(len(questions))]
            drawn = axes.barh(lines, values, bar, label=name)
            axes.bar_label(drawn, fmt="{:,.0f}", fontsize=6, color="#475569", padding=1)
        axes.set_yticks(range(len(questions)), questions)
        axes.set_ylim(len(questions) - 0.5, -0.5)
        axes.grid(visible=False, axis="y")
        axes.legend(frameon=False, loc="lower left", bbox_to_anchor=(0, 1.03), ncols=len(series))
        figure.suptitle(title, x=0.01, ha="left")
