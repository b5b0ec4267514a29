"""Reads the loghub files as records to send: one service a file, one record a line."""

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kit.folders import PACKAGES
from schema.severity import Severity

LOGHUB: Final = Path(os.environ.get("LOGSIEVE_LOGHUB", PACKAGES.parent / "shared" / "data" / "loghub"))

_LEVELS: Final = {
    "debug": Severity.debug,
    "info": Severity.info,
    "notice": Severity.info,
    "warn": Severity.warn,
    "warning": Severity.warn,
    "error": Severity.error,
    "fatal": Severity.fatal,
}
_LEVEL: Final = re.compile(rf"\b({'|'.join(_LEVELS)})\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a file; `number` counts from 1 within it."""

    service: str
    number: int
    text: str
    severity: Severity | None


def read_lines() -> list[Line]:
    """Returns all lines of all files, ordered by the files' names."""
    return [
        Line(file.name.removesuffix("_2k.log").lower(), number, text, _severity(text))
        for file in sorted(LOGHUB.glob("*_2k.log"))
        for number, text in enumerate(file.read_bytes().decode().replace("\r", "").splitlines(), start=1)
        if text
    ]


def _severity(text: str) -> Severity | None:
    found = _LEVEL.search(text[:80])
    return None if found is None else _LEVELS[found.group(1).lower()]
