"""Reads the last lines that a process of ours logged, to say why it ended."""

import re
from pathlib import Path
from typing import Final

_TAIL_BYTES: Final = 4096
_SAID: Final = re.compile(r"[a-z_]+: .+")
"""The line that stack.cli.entry prints: code and detail. Log lines are JSON, tracebacks begin otherwise."""


def exit_reason(log_file: Path) -> str:
    """Returns the sentence on the last line of its output; empty where that is not one of ours."""
    try:
        with log_file.open("rb") as log:
            log.seek(max(0, log.seek(0, 2) - _TAIL_BYTES))
            lines = log.read().decode(errors="replace").splitlines()
    except OSError:
        return ""
    return lines[-1] if lines and _SAID.fullmatch(lines[-1]) else ""
