"""Text of others is printed with escapes where it would act on a terminal or hide; the rest is printed as it is."""

import io
import json

import pytest
from rich.table import Table

from stack.cli.console import SafeConsole
from stack.terminal_export import terminal_pieces
from stack.terminal_text import escape_json, json_text, one_line, visible

HOSTILE = "\x1b]52;c;ZXZpbA==\x07\x1b[2J\x9b31m\x7f\u202eadmin\u2066\u200b\ufeff"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred", "\\x1B[31mred"),
        ("a\rb\x00\x9b\x7f", "a\\rb\\x00\\x9B\\x7F"),
        ("user\u202etxt\u2069\u200b", "user\\u202Etxt\\u2069\\u200B"),
        ("a\u2028b\U000e0041\udce9", "a\\u2028b\\u{E0041}\\uDCE9"),
        ("a\nb\tc", "a\nb\tc"),
        ("größer 日本語 שלום ١٢٣", "größer 日本語 שלום ١٢٣"),
        ("👩\u200d👧 ❤\ufe0f क\u094d\u200dष", "👩\u200d👧 ❤\ufe0f क\u094d\u200dष"),
    ],
)
def test_hidden_characters_are_escapes(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_a_line_stays_one_line() -> None:
    assert one_line("real\n2026-11-22 forged\tx") == "real\\n2026-11-22 forged\\tx"


def test_json_is_the_same_value_in_safe_characters() -> None:
    value = {"body": HOSTILE + "\n\u2028ü\U000e0041"}
    text = json_text(value, indent=2)
    assert json.loads(text) == value
    assert visible(text) == text
    assert escape_json(json.dumps(value, ensure_ascii=False)) == json_text(value)


@pytest.mark.parametrize("size", [1, 2, 3, 100])
def test_an_export_to_a_terminal_is_safe_however_it_is_cut(size: int) -> None:
    line = json.dumps({"body": HOSTILE + "ü"}, ensure_ascii=False) + "\n"
    shown = b"".join(terminal_pieces(_cut(line, size), "ndjson")).decode()
    assert json.loads(shown) == json.loads(line)
    assert visible(shown) == shown

    csv = f'id,body\r\n1,"a{HOSTILE}\rforged"\r\n'
    shown = b"".join(terminal_pieces(_cut(csv, size), "csv")).decode()
    assert shown == f'id,body\n1,"a{visible(HOSTILE)}\\rforged"\n'


def test_a_console_prints_nothing_raw() -> None:
    file = io.StringIO()
    console = SafeConsole(file=file, force_terminal=True, width=200, color_system=None)
    console.print(f"[red]{HOSTILE}[/] :warning:")
    table = Table("label")
    table.add_row(f"[bold]{one_line(HOSTILE)}")
    console.print(table)
    console.print_json(json.dumps([HOSTILE]))
    printed = file.getvalue()
    assert visible(printed) == printed
    # rich itself drops the bell.
    shown = visible(HOSTILE).replace("\\x07", "")
    assert f"[red]{shown}[/] :warning:" in printed
    assert f"[bold]{visible(HOSTILE)}" in printed
    assert "\\u001b]52;c;" in printed


def test_a_narrow_table_shows_every_value_whole() -> None:
    file = io.StringIO()
    table = Table("id", "label", box=None, pad_edge=False)
    table.add_row("0123456789abcdef" * 2, "x" * 40)
    SafeConsole(file=file, width=40).print(table)
    printed = "".join(file.getvalue().split())
    assert (printed.count("x"), "…" in printed) == (40, False)
    assert sum(printed.count(digit) for digit in "0123456789abcdef") >= 32


def _cut(text: str, size: int) -> list[bytes]:
    data = text.encode()
    return [data[start : start + size] for start in range(0, len(data), size)]
