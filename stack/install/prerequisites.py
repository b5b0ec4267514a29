"""Programs that must be on the machine before anything can be installed, and where to get them."""

import re
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from stack.install.step import Step


@dataclass(frozen=True)
class Prerequisite:
    """A program of at least some version: major, or major and minor."""

    program: str
    title: str
    version_arguments: tuple[str, ...]
    oldest: tuple[int, ...]
    debian: str
    """Way to install it on Debian, as Markdown, because some releases have only an older version."""
    macos: str
    """Command that installs it on macOS."""


_NODE: Final = "`apt-get install nodejs npm` on Debian 13 or newer, https://nodejs.org/en/download on Debian 12"

PREREQUISITES: Final = (
    Prerequisite("node", "Node.js", ("--version",), (20, 19), _NODE, "brew install node"),
    Prerequisite("npm", "npm", ("--version",), (9,), _NODE, "brew install node"),
    Prerequisite(
        "cargo",
        "Rust",
        ("--version",),
        (1, 85),
        "`apt-get install cargo` on Debian 13 or newer, rustup (https://rustup.rs) on Debian 12",
        "brew install rust",
    ),
    Prerequisite(
        "java", "Java", ("-version",), (17,), "`apt-get install default-jre-headless` on Debian", "brew install openjdk"
    ),
    Prerequisite("mvn", "Maven", ("--version",), (3,), "`apt-get install maven` on Debian", "brew install maven"),
)


def required(steps: Iterable[Step]) -> list[Prerequisite]:
    """Returns the programs that these steps run."""
    programs = {program for step in steps for program in step.programs}
    return [each for each in PREREQUISITES if each.program in programs]


def missing(prerequisites: Sequence[Prerequisite]) -> list[str]:
    """Returns a sentence for each prerequisite that is missing or too old."""
    sentences = []
    for need in prerequisites:
        found = version(need) if shutil.which(need.program) else None
        if found is not None and found >= need.oldest:
            continue
        problem = "was not found" if found is None else f"is version {_dotted(found)}, which is too old"
        sentences.append(
            f"{need.title} {_dotted(need.oldest)} or newer is needed and {problem}: "
            f"{need.debian}, `{need.macos}` on macOS"
        )
    return sentences


def version(need: Prerequisite) -> tuple[int, int] | None:
    """Returns the major and minor version that the program prints; None if it does not start, does not end or prints
    none."""
    try:
        answer = subprocess.run(
            [need.program, *need.version_arguments], capture_output=True, text=True, timeout=60, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    if answer.returncode != 0:
        return None
    return parse_version(answer.stdout + answer.stderr)


def parse_version(text: str) -> tuple[int, int] | None:
    """Returns the major and minor number of the first version in a text; None if there is none."""
    found = re.search(r"(\d+)\.(\d+)", text)
    return None if found is None else (int(found[1]), int(found[2]))


def _dotted(numbers: tuple[int, ...]) -> str:
    return ".".join(map(str, numbers))
