"""Tests that Logsieve's processes start in a folder that has another package with the name of one of ours."""

import asyncio
import subprocess
import sys
from pathlib import Path
from shutil import copytree, ignore_patterns
from typing import Any

import pytest

from kit import workers
from kit.clock import SystemClock
from kit.folders import PACKAGES
from kit.settings import Settings
from stack.launch import start_supervisor, stop_supervisor
from stack.services import Service, select, services
from stack.state import Phase, read_state, state_file
from stack.supervisor import Supervisor


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Returns the working folder, in which other packages have the names of ours."""
    for package in ("kit", "stack", "backend"):
        (tmp_path / package).mkdir()
        (tmp_path / package / "__init__.py").write_text("raise SystemExit('not the package of Logsieve')\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_supervisor_starts(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[subprocess.Popen[bytes]] = []

    class Recorded(subprocess.Popen[bytes]):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            started.append(self)

    monkeypatch.setattr(subprocess, "Popen", Recorded)
    monkeypatch.setenv("LOGSIEVE_HOME", str(folder / "home"))
    # The supervisor only checks this server, and starts no process.
    monkeypatch.setenv("LOGSIEVE_CLICKHOUSE_URL", "http://127.0.0.1:9")
    settings = Settings()

    state = start_supervisor(settings, select(services(settings), ["clickhouse"]), SystemClock())

    stop_supervisor(state, settings, SystemClock())
    assert [each.wait(60) for each in started] == [0]


def test_services_start() -> None:
    """The commands of services differ in their last argument only, so that one start shows that all of them start."""
    found = {each.name: each.command for each in services(Settings(home=Path("/srv/home")))}
    commands = []
    for name in ("receiver", "loader", "api", "alerts"):
        command = found[name]
        assert command is not None
        *module, argument = command()
        assert argument == name
        commands.append(module)
    assert commands == [commands[0]] * 4

    said = subprocess.run([*commands[0], "api", "--help"], capture_output=True, text=True, check=True, timeout=60)

    assert "logsieve api" in said.stdout


def test_a_service_starts_in_a_home_with_such_packages(folder: Path) -> None:
    settings = Settings(home=folder)
    (folder / "logs").mkdir()
    step = Service("step", command=lambda: ["true"], once=True)
    supervisor = Supervisor(settings, [step], SystemClock())

    def phase() -> Phase:
        state = read_state(state_file(settings))
        return Phase.waiting if state is None else state.services[0].phase

    async def run() -> Phase:
        running = asyncio.create_task(supervisor.run())
        async with asyncio.timeout(60):
            while not phase().settled:
                await asyncio.sleep(0.01)
        supervisor.stop()
        await running
        return phase()

    assert asyncio.run(run()) is Phase.done


def test_a_worker_starts() -> None:
    async def run() -> int:
        process = await workers._start(["stack", "--help"])
        return await process.wait()

    assert asyncio.run(run()) == 0


def test_the_shown_command_installs_for_an_installed_package(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed = folder / "site-packages"
    for package in ("kit", "stack"):
        copytree(PACKAGES / package, installed / package, ignore=ignore_patterns("__pycache__", "tests"))
    monkeypatch.setenv("PYTHONPATH", str(installed))
    show = [sys.executable, "-P", "-c", "from stack import runtime; print(runtime.INSTALL_COMMAND)"]
    command = subprocess.run(show, capture_output=True, text=True, check=True, timeout=60).stdout.split()

    said = subprocess.run([*command, "--help"], capture_output=True, text=True, check=True, timeout=60).stdout

    assert "Installs what Logsieve needs" in said
