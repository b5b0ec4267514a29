"""Tests of the table, the bars and the CSV that `logsieve logs stats` prints."""

import io

import pytest
from rich.console import Console

from stack.cli.stats import BAR, bar, csv_text, print_chart, table_of
from stack.client.log_stats import LogStats, StatsColumn, StatsSeries, lines_of

COLUMNS = [StatsColumn(name="service", kind="field"), StatsColumn(name="count()", kind="function")]
TABLE = LogStats(
    columns=COLUMNS, rows=[["a\nb", 4], [None, 2], ["", 1]], other=[3], buckets=[], series=[], left_out=None
)
SERIES = LogStats(
    columns=COLUMNS,
    rows=[],
    other=None,
    buckets=["2026-11-22T00:00:00.000000000Z", "2026-11-22T00:05:00.000000000Z"],
    series=[
        StatsSeries(kind="group", group=["=a"], values=[[8, 0]]),
        StatsSeries(kind="other", group=[], values=[[None, 4]]),
    ],
    left_out=None,
)


def printed(found: LogStats, *, chart: bool = False) -> list[list[str]]:
    written = io.StringIO()
    console = Console(file=written, width=120)
    if chart:
        print_chart(console, list(lines_of(found)))
    else:
        console.print(table_of(found, list(lines_of(found))))
    return [line.split() for line in written.getvalue().splitlines()]


def test_a_table_distinguishes_absent_empty_and_other() -> None:
    assert printed(TABLE) == [["service", "count()"], ["a\\nb", "4"], ["-", "2"], ['""', "1"], ["(other)", "3"]]


def test_a_table_of_series_has_a_line_for_each_bucket() -> None:
    assert printed(SERIES)[1:] == [
        ["2026-11-22T00:00:00Z", "=a", "8"],
        ["2026-11-22T00:05:00Z", "=a", "0"],
        ["2026-11-22T00:00:00Z", "(other)", "-"],
        ["2026-11-22T00:05:00Z", "(other)", "4"],
    ]


def test_bars_have_one_scale() -> None:
    assert printed(TABLE, chart=True)[0] == ["a\\nb", "█" * BAR, "4"]
    lines = printed(SERIES, chart=True)
    assert lines[0] == ["=a"]
    assert lines[1] == ["2026-11-22T00:00:00Z", "█" * BAR, "8"]
    assert lines[3] == ["(other)"]
    assert lines[5] == ["2026-11-22T00:05:00Z", "█" * (BAR // 2), "4"]


@pytest.mark.parametrize(("value", "longest", "drawn"), [(0, 0, ""), (0, 5, ""), (1, 320, "▏"), (1, 40, "█")])
def test_a_bar_is_drawn_in_eighths(value: float, longest: float, drawn: str) -> None:
    assert bar(value, longest) == drawn


def test_csv_guards_text_that_a_spreadsheet_would_run() -> None:
    rows = csv_text(SERIES, list(lines_of(SERIES))).split("\r\n")
    assert rows[0] == "kind,time,service,count()"
    assert rows[1] == "group,2026-11-22T00:00:00.000000000Z,'=a,8"
    assert rows[3] == "other,2026-11-22T00:00:00.000000000Z,,"
