"""The origin of a result: the command as a user types it, and the commit of the code."""

import shlex
import subprocess
import sys
from collections.abc import Iterator, Sequence
from typing import Final

from kit.folders import PACKAGES

_FOLDERS: Final = frozenset({"--write", "--home"})
"""Options that name a place on this machine. They do not affect the numbers."""
_SHOWN: Final = {
    **{"--real": "FOLDER", "--data": "FOLDER"},
    **{"--victoria-logs": "PROGRAM", "--loki": "PROGRAM", "--collector": "PROGRAM"},
}
"""Options that name a place whose contents affect the numbers, each with the word printed instead of the place."""


def as_typed() -> str:
    """Returns the caller's settings and this process's command line, as a user would type them to measure again."""
    from loadtest.own_stack import applying

    return " ".join([*applying(), requested(sys.argv[1:])])


def requested(arguments: Sequence[str]) -> str:
    """Returns a command line as a user would type it to repeat the measurement."""
    return shlex.join(["logsieve", *_without_places(arguments)])


def _without_places(arguments: Sequence[str]) -> Iterator[str]:
    remaining = iter(arguments)
    for argument in remaining:
        option = argument.partition("=")[0]
        if option in _FOLDERS:
            if argument == option:
                next(remaining, None)
        elif option in _SHOWN:
            if argument == option:
                next(remaining, None)
            yield from (option, _SHOWN[option])
        elif option != "--json":
            yield argument


def commit() -> str | None:
    """Returns the checkout's commit, with `+` if the code differs from it; None outside of a checkout."""
    try:
        head = _git("rev-parse", "--short=12", "HEAD").strip()
        changed = _git("status", "--porcelain", "--", ".", ":!docs")
    except (OSError, subprocess.CalledProcessError):
        return None
    return f"{head}+" if changed else head


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=PACKAGES, capture_output=True, text=True, check=True)
    return done.stdout
