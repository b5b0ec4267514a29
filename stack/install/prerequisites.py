"""What must be on the machine before anything can be installed, and how to get it."""

import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Prerequisite:
    """A program of at least some major version."""

    program: str
    title: str
    version_arguments: tuple[str, ...]
    oldest: int
    debian: str
    macos: str


PREREQUISITES: Final = (
    Prerequisite("node", "Node.js", ("--version",), 20, "apt-get install nodejs npm", "brew install node"),
    Prerequisite("npm", "npm", ("--version",), 9, "apt-get install npm", "brew install node"),
    Prerequisite("java", "Java", ("-version",), 17, "apt-get install default-jre-headless", "brew install openjdk"),
    Prerequisite("mvn", "Maven", ("--version",), 3, "apt-get install maven", "brew install maven"),
)


def missing(prerequisites: Sequence[Prerequisite] = PREREQUISITES) -> list[str]:
    """A sentence for each prerequisite that is not there or too old."""
    sentences = []
    for need in prerequisites:
        found = major_version(need) if shutil.which(need.program) else None
        if found is not None and found >= need.oldest:
            continue
        problem = "was not found" if found is None else f"is version {found}, which is too old"
        sentences.append(
            f"{need.title} {need.oldest} or newer is needed and {problem}: "
            f"`{need.debian}` on Debian, `{need.macos}` on macOS"
        )
    return sentences


def major_version(need: Prerequisite) -> int | None:
    """The major version that the program says it is; None when it does not start or say."""
    try:
        answer = subprocess.run(
            [need.program, *need.version_arguments], capture_output=True, text=True, timeout=60, check=False
        )
    except OSError:
        return None
    if answer.returncode != 0:
        return None
    return parse_major(answer.stdout + answer.stderr)


def parse_major(text: str) -> int | None:
    """The first number of the first version in a text; Java up to 8 called itself 1.x."""
    version = re.search(r"(\d+)\.(\d+)", text)
    if version is None:
        return None
    major, minor = int(version[1]), int(version[2])
    return minor if major == 1 else major
