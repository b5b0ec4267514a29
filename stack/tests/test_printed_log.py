"""Lines that `logsieve logs search` shows for a record."""

import io

import pytest
from rich.console import Console

from stack.cli.logs import _print_log


@pytest.mark.parametrize(
    ("number", "text", "shown"),
    [(17, "", "ERROR"), (20, "", "ERROR"), (0, "", "-"), (9, "notice", "notice"), (24, "", "FATAL"), (1, "", "TRACE")],
)
def test_a_record_without_severity_text_is_named_by_its_number(number: int, text: str, shown: str) -> None:
    written = io.StringIO()
    _print_log(Console(file=written, width=200), "2026-11-22T00:00:00Z", number, text, "shop", "paid")
    assert written.getvalue().split() == ["2026-11-22T00:00:00Z", shown, "shop", "paid"]
