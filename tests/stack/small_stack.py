"""A stack in which a test starts only the services it needs. ClickHouse alone starts in a second."""

import json
import os
import signal
from dataclasses import dataclass
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any, Final

import httpx2

from kit.settings import Settings
from kit.tls import trusted
from tests.forked_module import run_module
from tests.running_stack import free_offset, logsieve, stack_environment

COMMAND_SECONDS: Final = 120


@dataclass(frozen=True, slots=True)
class SmallStack:
    """The home and ports of a stack, which may be running or not."""

    home: Path
    offset: int

    def logsieve(self, *arguments: str, **environment: str) -> CompletedProcess[str]:
        """Runs a `logsieve` command for this home. `up` is run as users run it, other commands in a forked process,
        whose start takes 1 s of CPU less."""
        if arguments[0] == "up":
            return logsieve(self.home, self.offset, *arguments, seconds=COMMAND_SECONDS, **environment)
        variables = stack_environment(self.home, self.offset, environment)
        return run_module(("stack", *arguments), variables, COMMAND_SECONDS)

    def up(self, **environment: str) -> None:
        done = self.logsieve("up", "clickhouse", **environment)
        assert done.returncode == 0, done.stderr

    def service(self, name: str) -> dict[str, Any]:
        """Returns what `status --json` says about a service."""
        lines = json.loads(self.logsieve("status", "--json").stdout)["services"]
        found: dict[str, Any] = next(line for line in lines if line["name"] == name)
        return found

    def clickhouse(self) -> dict[str, Any]:
        """Returns what `status --json` says about ClickHouse."""
        return self.service("clickhouse")

    def supervisor_pid(self) -> int:
        pid: int = json.loads((self.home / "stack.json").read_text())["supervisor"]["pid"]
        return pid

    def sql(self, statement: str, user: str = "logsieve", password: str | None = None) -> httpx2.Response:
        settings = Settings(home=self.home, port_offset=self.offset)
        secret = settings.clickhouse_secret if password is None else password
        headers = {"X-ClickHouse-User": user, "X-ClickHouse-Key": secret}
        return httpx2.post(
            settings.clickhouse_http_url, content=statement, headers=headers, verify=trusted(), timeout=60
        )


def small_stack(home: Path) -> SmallStack:
    """Returns a stack with free ports, without starting it."""
    return SmallStack(home, free_offset())


def kill(pid: int) -> None:
    """Sends SIGKILL, so that the process ends like after a crash or without memory."""
    os.kill(pid, signal.SIGKILL)
