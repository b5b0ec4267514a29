"""Tests of what `logsieve ui` says about a stack that does not run."""

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from kit.settings import Settings
from schema.demo_keys import DemoKeys, demo_keys_file
from stack.cli.commands import application

STOPPED = "start the stack with `logsieve up`"


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener


@pytest.fixture
def home(tmp_path: Path) -> Path:
    keys = DemoKeys(tenant="demo", ingest_key="i", query_key="q")
    demo_keys_file(Settings(home=tmp_path)).write_text(keys.model_dump_json())
    return tmp_path


def run_ui(home: Path, port: int) -> Result:
    environment = {"LOGSIEVE_HOME": str(home), "LOGSIEVE_API_PORT": str(port), "LOGSIEVE_PORT_OFFSET": "0"}
    return CliRunner().invoke(application(), ["ui"], env={**environment, "COLUMNS": "200"})


def test_a_link_of_a_stopped_stack_comes_with_advice(home: Path) -> None:
    with socket.socket() as reserved:
        # Nobody else can listen on the port meanwhile.
        reserved.bind(("127.0.0.1", 0))
        port = reserved.getsockname()[1]
        printed = run_ui(home, port)
    assert printed.exit_code == 0
    assert printed.stdout.startswith(f"http://127.0.0.1:{port}/#sign-in=")
    assert STOPPED in printed.stderr


def test_a_link_of_a_running_stack_comes_without(home: Path, listener: socket.socket) -> None:
    printed = run_ui(home, listener.getsockname()[1])
    assert printed.exit_code == 0
    assert STOPPED not in printed.stderr
    assert "usable once" in printed.stderr
