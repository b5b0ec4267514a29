"""Tests of the table and the notes that `logsieve logs patterns` prints."""

import io

from rich.console import Console

from stack.cli.patterns import notes_of, table_of, trend_of
from stack.client.log_patterns import LogPattern, LogPatterns

PATTERN = LogPattern(template="user <*> logged\x1b in", records=1200, share=0.12, counts=[0] * 38 + [1, 8], new=True)
FOUND = LogPatterns(sampled=10_000, matching=52_331, is_estimate=True, found=40, patterns=[PATTERN])


def test_a_pattern_is_a_row_without_control_characters() -> None:
    written = io.StringIO()
    Console(file=written, width=120).print(table_of(FOUND))
    head, row = written.getvalue().splitlines()
    assert head.split() == ["records", "share", "trend", "new", "pattern"]
    assert row.split() == ["1,200", "~12.0%", "█", "new", "user", "<*>", "logged\\x1B", "in"]


def test_notes_say_what_is_left_out() -> None:
    assert notes_of(FOUND) == [
        "10,000 of 52,331 matching logs, spread over their time, were grouped: shares are estimates.",
        "1 of 40 patterns are shown: --limit shows up to 200.",
    ]
    everything = FOUND.model_copy(update={"sampled": 3, "matching": 3, "is_estimate": False, "found": 1})
    assert notes_of(everything) == []
    nothing = everything.model_copy(update={"sampled": 0, "matching": 0, "found": 0, "patterns": []})
    assert notes_of(nothing) == ["No logs match in this range."]


def test_a_trend_has_a_bar_wherever_something_was_counted() -> None:
    assert trend_of([0, 0, 1, 0, 400, 400] + [0] * 34) == " ▁█" + " " * 17
    assert trend_of([0] * 40) == " " * 20
