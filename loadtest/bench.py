"""Resources of a study: clock, seed, progress output, description of the machine, and the stacks started for it."""

import os
import platform
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from kit.clock import Clock
from kit.settings import Settings

if TYPE_CHECKING:
    from loadtest.own_stack import OwnStack

Say = Callable[[str], None]
"""Shows one line of progress."""


@dataclass(slots=True)
class Bench:
    """Resources that the command line gives to every study."""

    clock: Clock
    say: Say
    seed: int
    port_offset: Callable[[], int]
    """Returns a port offset at which all ports of a stack are free, another one at each call."""
    home: Path
    """Folder for data that a study keeps between two commands."""
    commit: str | None
    machine: str
    """Description of the machine. Includes ClickHouse's version after a stack was started."""
    reads_as_owner: bool = False
    """True if pages are read as the owner of the tables, because the search user may not read the study's database."""
    running_settings: Callable[[], Settings] = Settings
    """Returns the settings of the stack that the caller's settings name. A study may read from it, and changes
    nothing there."""
    after_result: list[Callable[[], None]] = field(default_factory=list)
    """Functions that the command calls once the result is printed and written, such as one that deletes a journal."""

    def found_server(self, version: str) -> None:
        """Adds the version of the measured ClickHouse server to the machine's description."""
        self.machine = this_machine(version)

    @contextmanager
    def stack(self, *services: str, settings: Mapping[str, str] | None = None) -> "Iterator[OwnStack]":
        """Starts a stack in a new folder, and removes the folder at the end of the block.

        Raises the errors of `own_stack`.
        """
        from loadtest.own_stack import own_stack

        with own_stack(self.port_offset(), services, self.say, settings) as stack:
            self.found_server(stack.server_version())
            yield stack

    @contextmanager
    def stack_in(self, home: Path, *services: str, settings: Mapping[str, str] | None = None) -> "Iterator[OwnStack]":
        """Starts a stack in a folder that remains after the command. Raises the errors of `own_stack_in`."""
        from loadtest.own_stack import own_stack_in

        self.say(f"starting the stack of {home}")
        with own_stack_in(home, self.port_offset(), services, settings or {}) as stack:
            yield stack


def this_machine(clickhouse: str | None = None) -> str:
    """Returns one line: processors, memory, system, versions of Python and, if `clickhouse` is given, of ClickHouse."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    release = platform.freedesktop_os_release().get("PRETTY_NAME", "") if Path("/etc/os-release").exists() else ""
    parts = [
        f"{os.cpu_count() or 1} cores",
        f"{memory / 2**30:.0f} GiB",
        f"{platform.system()} {platform.machine()}",
        *([release] if release else []),
        f"Python {platform.python_version()}",
        *([f"ClickHouse {clickhouse}"] if clickhouse else []),
    ]
    return ", ".join(parts)
