"""Describes the machine that a measurement runs on."""

import os
import platform
from pathlib import Path


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
