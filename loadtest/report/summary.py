"""The picture of the README: what is shipped against the exporter's table, by how frequent the words are."""

from collections.abc import Sequence
from pathlib import Path
from textwrap import fill
from typing import Final

from loadtest.chart import Axis, bars
from loadtest.report.page import origin
from loadtest.report.result import Result
from loadtest.search.report import EXPORTER, SearchReport

FILE: Final = "summary.svg"
_SHOWN: Final = {
    EXPORTER: "OpenTelemetry exporter's table, one plain query",
    "tokenbf": "Logsieve, profile tokenbf",
    "text": "Logsieve, profile text",
}


def draw_summary(results: Sequence[Result], folder: Path) -> str:
    """Draws it where there is a result to draw from; says what it shows. Raises InvalidRequest without matplotlib."""
    for result in results:
        if isinstance(result.report, SearchReport):
            _draw(result.report, folder / FILE)
            shown = (
                "The picture: the newest 100 with all columns, from query text to records; medians, geometric means"
                f" over the searches of a frequency. {origin(result)}"
            )
            return fill(shown, 120, break_long_words=False, break_on_hyphens=False)
    return "`logsieve loadtest search` has not been run with `--write` yet: there is no picture."


def _draw(report: SearchReport, file: Path) -> None:
    milliseconds = report.by_frequency()
    frequencies = list(milliseconds[EXPORTER])
    bars(
        file,
        f"Newest 100 of {report.records:,} records of 4 KB by how frequent the words are",
        Axis("ms", logarithmic=True),
        frequencies,
        {label: [milliseconds[side][each] for each in frequencies] for side, label in _SHOWN.items()},
    )
