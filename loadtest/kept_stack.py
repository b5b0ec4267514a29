"""A stack of a long study: its folder outlives the command, so that a study that was killed goes on where it was."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from kit.errors import Internal
from kit.settings import Settings

_SECONDS: Final = 300


@contextmanager
def kept_stack(home: Path, offset: int, only: tuple[str, ...], settings: Mapping[str, str]) -> Iterator[Settings]:
    """How to reach the services `only` of the stack in `home`; one that still runs there is used as it is.

    `offset` is for a stack that has to be started. It is stopped at the end, its data stays.
    Raises Internal when it does not start.
    """
    offset = offset_of(home) or offset
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("LOGSIEVE_")}
    environment = {**inherited, **settings, "LOGSIEVE_HOME": str(home), "LOGSIEVE_PORT_OFFSET": str(offset)}
    _run(environment, "up", "--no-samples", "--json", *only)
    try:
        yield Settings(home=home, port_offset=offset)
    finally:
        _run(environment, "down")


def offset_of(home: Path) -> int | None:
    """Where a stack that was started in `home` listens; None where none was."""
    state = home / "stack.json"
    return int(json.loads(state.read_text())["port_offset"]) if state.exists() else None


def _run(environment: Mapping[str, str], *arguments: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "stack", *arguments],
        env=environment,
        capture_output=True,
        text=True,
        timeout=_SECONDS,
        check=False,
    )
    if done.returncode != 0:
        raise Internal(f"logsieve {' '.join(arguments)} failed: {done.stderr.strip() or done.stdout.strip()}")
