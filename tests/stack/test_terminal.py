"""Tests that commands escape hostile texts of senders and users before they write them to a real terminal."""

import os
import pty
import re
import secrets
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from stack.terminal_text import visible
from tests import otlp
from tests.api_client import Api
from tests.eventually import eventually
from tests.forked_module import ForkedModule
from tests.running_stack import Stack, stack_environment

HOSTILE = "\x1b]52;c;ZXZpbA==\x07\x1b[2J\x9b31m\u202eadmin [red]bold[/red]\n2026-11-22T00:00:00Z FATAL forged line"
OURS = re.compile(r"\x1b\[(?:\d+(?:;\d+)*m|\?25[lh]|2K|1A)|\r(?=\n)|\r(?=\x1b\[2K)")
"""Matches escape sequences that rich writes for colours and progress, and line ends of a terminal."""


@pytest.fixture(scope="module")
def word(stack: Stack) -> str:
    """Returns a word that is in one record only, whose body, service and attributes have hostile texts."""
    word = f"tty{secrets.token_hex(4)}"
    attributes = [{"key": f"k{HOSTILE[:20]}", "value": {"stringValue": HOSTILE}}]
    attributes.append({"key": "evil", "value": {"stringValue": HOSTILE}})
    record = otlp.record(f"{word} {HOSTILE}", severityText=f"E{HOSTILE}", severityNumber=17, attributes=attributes)
    request = otlp.request(record, service=f"shop{HOSTILE}")
    assert otlp.send(stack.otlp_http_url, stack.keys.ingest_key, request).status_code == 200
    with Api(stack.api_url, stack.keys.query_key) as api:
        eventually(lambda: len(api.ok("/logs/search", query=word)["logs"]) == 1, "the record is stored")
    return word


@pytest.fixture(scope="module")
def label(stack: Stack) -> Iterator[str]:
    """Yields the hostile label of a new key, and revokes the key afterwards."""
    label = f"[/red] [bold] {HOSTILE}"[:100]
    made = stack.logsieve("key", "create", stack.keys.tenant, "query", "--label", label)
    assert made.returncode == 0, made.stderr
    yield label
    stack.logsieve("key", "revoke", made.stdout.split("_")[2])


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        (("logs", "search"), "\\x1B]52;c;"),
        (("logs", "search", "--json"), "\\u001b]52;c;"),
        (("logs", "export"), "\\u001b]52;c;"),
        (("logs", "export", "--format", "csv"), "\\x1B]52;c;"),
        (("logs", "fields"), "k\\x1B]52;c;"),
        (("logs", "values", "evil"), "\\x1B]52;c;"),
        (("logs", "values", "evil", "--json"), "\\u001b]52;c;"),
    ],
)
def test_logs_on_a_terminal(stack: Stack, word: str, arguments: tuple[str, ...], shown: str) -> None:
    printed = on_a_terminal(stack, *arguments, word)
    assert shown in printed
    assert_nothing_raw(printed)
    if "csv" not in arguments:
        assert not re.search(r"(?m)^2026-11-22T00:00:00Z FATAL", printed)


def test_a_refused_query_on_a_terminal(stack: Stack) -> None:
    printed = on_a_terminal(stack, "logs", "search", f"({HOSTILE}")
    assert "invalid_query" in printed
    assert_nothing_raw(printed)


def test_keys_on_a_terminal(stack: Stack, label: str) -> None:
    printed = on_a_terminal(stack, "key", "list")
    assert "[/red] [bold] \\x1B]52;c;" in " ".join(printed.split())
    assert_nothing_raw(printed)
    printed = on_a_terminal(stack, "key", "list", "--json")
    assert "[/red] [bold] \\u001b]52;c;" in printed
    assert_nothing_raw(printed)
    assert label


def on_a_terminal(stack: Stack, *arguments: str) -> str:
    """Runs a command on a terminal of 200 columns. Returns all text it writes, on standard output and error. Its
    standard input is no terminal, because no command reads it."""
    terminal = {"TERM": "xterm", "COLUMNS": "200"}
    environment = stack_environment(stack.home, stack.settings.port_offset, terminal)
    ours, theirs = pty.openpty()
    with ThreadPoolExecutor(1) as readers:
        process = ForkedModule(("stack", *arguments), environment, Path(os.ttyname(theirs)))
        try:
            written = readers.submit(all_text, ours)
            process.wait(60)
        finally:
            process.kill()
            os.close(theirs)
    os.close(ours)
    return written.result()


def all_text(terminal: int) -> str:
    """Returns what is written to a terminal until its last process has closed it. Reading then fails with EIO."""
    written = b""
    with suppress(OSError):
        while piece := os.read(terminal, 65536):
            written += piece
    return written.decode()


def assert_nothing_raw(printed: str) -> None:
    left = OURS.sub("", printed)
    assert visible(left) == left
