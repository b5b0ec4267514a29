"""Reads the loghub files as records to send. Each file is a service, each line a record."""

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
    """One line of a file. `number` counts from 1 within the file."""

    service: str
    number: int
    text: str
    severity: Severity | None


def read_lines() -> list[Line]:
    """Returns all lines of all files that are not empty, ordered by the names of the files."""
    return [
        Line(file.name.removesuffix("_2k.log").lower(), number, text, _severity(text))
        for file in sorted(LOGHUB.glob("*_2k.log"))
        for number, text in enumerate(file.read_bytes().decode().replace("\r", "").splitlines(), start=1)
        if text
    ]


def _severity(text: str) -> Severity | None:
    found = _LEVEL.search(text[:80])
    return None if found is None else _LEVELS[found.group(1).lower()]
