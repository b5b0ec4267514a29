"""Tests that settings that cannot be read, and errors of the operating system, end a command with a sentence."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from stack.cli.entry import main


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("lanes = 'x'", "LOGSIEVE_LANES is 'x': it must be a valid integer\n"),
        ("kafka_security = 'TLS'", "LOGSIEVE_KAFKA_SECURITY is 'TLS': it must be 'PLAINTEXT', 'SSL', "),
        ("clickhouse_url = 'a'", "LOGSIEVE_CLICKHOUSE_URL has 'a', which is not a URL: give one such as "),
        ("kafka_password = 12345", "LOGSIEVE_KAFKA_PASSWORD is of a wrong type: it must be a valid string\n"),
        (None, "which cannot be read: No such file"),
        ("lanes = ", "which is not TOML"),
        ("lanes = 0", "LOGSIEVE_LANES is 0: it must be greater than or equal to 1\n"),
        ("storage_policy = 'a b'", "LOGSIEVE_STORAGE_POLICY: 'a b' is not a name of letters, digits and underscores"),
        ("lane = 1", "the file of LOGSIEVE_CONFIG has the key lane, which is no setting"),
    ],
)
def test_a_configuration_that_cannot_be_is_wrong_usage(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    content: str | None,
    said: str,
) -> None:
    config = tmp_path / "logsieve.toml"
    if content is not None:
        config.write_text(content)
    monkeypatch.setenv("LOGSIEVE_CONFIG", str(config))
    monkeypatch.setattr(sys, "argv", ["logsieve", "settings"])

    with pytest.raises(SystemExit) as ended:
        main()

    printed = capsys.readouterr()
    assert (ended.value.code, printed.out) == (2, "")
    assert said in printed.err


@pytest.mark.parametrize(
    ("name", "value", "printed"),
    [
        ("HOME", "", "LOGSIEVE_HOME is empty: give a path, or unset it\n"),
        ("INGEST_URL", "otlp", "LOGSIEVE_INGEST_URL: 'otlp' is not a URL of http or https without a query: "),
    ],
)
def test_a_sentence_about_a_setting_names_it_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str, value: str, printed: str
) -> None:
    monkeypatch.setenv(f"LOGSIEVE_{name}", value)
    monkeypatch.setattr(sys, "argv", ["logsieve", "settings"])

    with pytest.raises(SystemExit):
        main()

    assert capsys.readouterr().err.startswith(printed)


@pytest.fixture
def unusable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Returns the path that `logsieve status` cannot read, because the home is a file."""
    home = tmp_path / "file"
    home.touch()
    monkeypatch.setenv("LOGSIEVE_HOME", str(home))
    monkeypatch.delenv("LOGSIEVE_PORT_OFFSET", raising=False)
    monkeypatch.setattr(sys, "argv", ["logsieve", "status"])
    return home / "stack.json"


def test_an_error_of_the_operating_system_is_a_sentence(unusable: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main()

    printed = capsys.readouterr()
    assert (ended.value.code, printed.out) == (1, "")
    assert printed.err.startswith(f"unavailable: cannot use {unusable}: Not a directory; ")
    assert printed.err.count("\n") == 1


@pytest.mark.usefixtures("unusable")
def test_log_level_debug_shows_its_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOGSIEVE_LOG_LEVEL", "debug")

    with pytest.raises(NotADirectoryError):
        main()


def test_an_unreachable_server_is_one_sentence_with_its_address(tmp_path: Path) -> None:
    with socket.socket() as closed:
        # Bound and not listening: the port is refused, and nobody else can listen on it meanwhile.
        closed.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{closed.getsockname()[1]}"
        kept = {name: value for name, value in os.environ.items() if not name.startswith("LOGSIEVE_")}
        # A process of its own, because pytest handles the log lines of libraries.
        ended = subprocess.run(
            [sys.executable, "-m", "stack", "index", "show"],
            env={**kept, "LOGSIEVE_HOME": str(tmp_path), "LOGSIEVE_CLICKHOUSE_URL": url},
            capture_output=True,
            text=True,
            timeout=60,
        )

    said = f"unavailable: ClickHouse at {url} cannot be reached: start it, or correct LOGSIEVE_CLICKHOUSE_URL\n"
    assert (ended.returncode, ended.stdout, ended.stderr) == (1, "", said)
