"""Draws measurements as SVG files, all in one style.

matplotlib is a development dependency, because only authors of the docs draw charts.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from kit.errors import InvalidRequest

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_STYLE: Final = Path(__file__).with_name("chart.mplstyle")


@dataclass(frozen=True, slots=True)
class Axis:
    """Label of an axis, with its unit, and its scale."""

    label: str
    logarithmic: bool = False


Points = Sequence[tuple[float, float]]


def lines(file: Path, title: str, x: Axis, y: Axis, series: Mapping[str, Points]) -> None:
    """Draws one line for each series. Marks the points of a series that has at most 30.

    Raises InvalidRequest if matplotlib is not installed.
    """
    with _figure(file, title, x, y) as axes:
        for name, points in series.items():
            marker = "o" if len(points) <= 30 else None
            axes.plot([point[0] for point in points], [point[1] for point in points], marker=marker, ms=4, label=name)
        _add_legend(axes)


def scatter(file: Path, title: str, x: Axis, y: Axis, groups: Mapping[str, Mapping[str, tuple[float, float]]]) -> None:
    """Draws labelled points, in one colour for each group. Raises InvalidRequest if matplotlib is not installed."""
    with _figure(file, title, x, y) as axes:
        for name, points in groups.items():
            axes.scatter([each[0] for each in points.values()], [each[1] for each in points.values()], s=28, label=name)
            for label, at in points.items():
                axes.annotate(label, at, xytext=(4, 3), textcoords="offset points", fontsize=7, color="#475569")
        _add_legend(axes)


def bars(file: Path, title: str, y: Axis, groups: Sequence[str], series: Mapping[str, Sequence[float]]) -> None:
    """Draws one bar for each series in each group, and writes the bar's value above it.

    Raises InvalidRequest if matplotlib is not installed.
    """
    with _figure(file, title, Axis(""), y) as axes:
        width = 0.8 / len(series)
        for place, (name, heights) in enumerate(series.items()):
            drawn = axes.bar([group + place * width for group in range(len(groups))], heights, width, label=name)
            axes.bar_label(drawn, fmt=_short, fontsize=7, color="#475569", padding=1)
        if y.logarithmic:
            # A logarithmic axis has no zero, so it begins at the largest power of ten that no bar is below.
            axes.yaxis.set_major_formatter("{x:,g}")
            axes.yaxis.set_minor_formatter(lambda _value, _place: "")
            axes.set_ylim(bottom=10 ** math.floor(math.log10(min(min(heights) for heights in series.values()))))
        axes.set_xticks([group + 0.4 - width / 2 for group in range(len(groups))], groups)
        _add_legend(axes)


def _add_legend(axes: "Axes") -> None:
    """Adds the legend below the axes. To find the best place within them takes longer than to draw the picture."""
    figure = axes.get_figure()
    assert figure is not None
    labels = axes.get_legend_handles_labels()[1]
    figure.legend(loc="outside lower center", frameon=False, ncols=min(4, len(labels)))


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"


@contextmanager
def _figure(file: Path, title: str, x: Axis, y: Axis) -> "Iterator[Axes]":
    with styled(file, 8.6, 4.6) as figure:
        axes = figure.subplots()
        axes.set_title(title)
        axes.set_xlabel(x.label)
        axes.set_ylabel(y.label)
        if x.logarithmic:
            axes.set_xscale("log")
        if y.logarithmic:
            axes.set_yscale("log")
        yield axes


@contextmanager
def styled(file: Path, width: float, height: float) -> "Iterator[Figure]":
    """Yields an empty figure, and saves it as SVG at the end of the block. `width` and `height` are inches.

    Raises InvalidRequest if matplotlib is not installed.
    """
    try:
        from matplotlib import rc_context  # noqa: PLC0415 slow to import, and not installed everywhere
        from matplotlib.figure import Figure  # noqa: PLC0415
    except ImportError:
        raise InvalidRequest("pictures need matplotlib: install the development dependencies") from None
    with rc_context(fname=_STYLE):
        figure = Figure(figsize=(width, height), layout="constrained")
        yield figure
        figure.savefig(file, format="svg", metadata={"Date": None})
