"""Says how one of our processes ended, with the reason from the last line that it logged."""

import re
import signal
from pathlib import Path
from typing import Final

_TAIL_BYTES: Final = 4096
_ERROR_LINE: Final = re.compile(r"[a-z_]+: .+")
"""Form of the line that stack.cli.entry prints: code and detail. Neither log lines, which are JSON, nor tracebacks have
this form."""


def describe_exit(code: int, log_file: Path) -> str:
    """Returns how a process ended. A negative exit code is the number of the signal that ended it."""
    if code < 0:
        # Real-time signals have no names.
        names = {each.value: each.name for each in signal.Signals}
        return f"ended by {names.get(-code, f'signal {-code}')}"
    said = exit_reason(log_file) if code else ""
    return f"ended with exit code {code}" + (f": {said}" if said else "")


def exit_reason(log_file: Path) -> str:
    """Returns the sentence on the last line of the file; empty if stack.cli.entry did not print that line."""
    try:
        with log_file.open("rb") as log:
            log.seek(max(0, log.seek(0, 2) - _TAIL_BYTES))
            lines = log.read().decode(errors="replace").splitlines()
    except OSError:
        return ""
    return lines[-1] if lines and _ERROR_LINE.fullmatch(lines[-1]) else ""
