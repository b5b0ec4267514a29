"""What a measurement ran on, for the page that has its numbers."""

import os
import platform
from dataclasses import dataclass
from pathlib import Path

from clickhouse_connect.driver.client import Client


@dataclass(frozen=True, slots=True)
class Machine:
    cores: int
    memory: int
    """Bytes."""
    system: str
    python: str
    clickhouse: str | None

    def line(self) -> str:
        """One sentence for a report."""
        server = f", ClickHouse {self.clickhouse}" if self.clickhouse else ""
        return f"{self.cores} cores, {self.memory / 2**30:.0f} GiB, {self.system}, Python {self.python}{server}"


def this_machine(client: Client | None = None) -> Machine:
    """Of this process and the server it is connected to, if any."""
    return Machine(
        cores=os.cpu_count() or 1,
        memory=os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        system=f"{platform.system()} {platform.machine()}" + _distribution(),
        python=platform.python_version(),
        clickhouse=str(client.server_version) if client else None,
    )


def _distribution() -> str:
    release = Path("/etc/os-release")
    if not release.exists():
        return ""
    return ", " + platform.freedesktop_os_release().get("PRETTY_NAME", "")
