"""Paths of the programs that scripts/setup installs. Standard library only, because it runs before the venv exists."""

import platform
import sys
from pathlib import Path
from typing import Final

from kit import folders

RUNTIME: Final = folders.RUNTIME

INSTALL_COMMAND: Final = "make setup" if folders.IS_CHECKOUT else f"{sys.executable} -P -m stack.install"
"""Command that installs the ClickHouse engine and Kafka."""

LOGS: Final = RUNTIME / "logs"
ENGINE_SOURCE: Final = folders.PACKAGES / "stack" / "engine"
ENGINE: Final = RUNTIME / "engine"
BROKER_SOURCE: Final = folders.PACKAGES / "stack" / "broker"
BROKER: Final = RUNTIME / "broker"
CLASS_ARCHIVE: Final = BROKER / "classes.jsa"
"""Archive of Kafka's classes (stack/install/class_archive.py). A broker starts without it too, but takes longer."""
FRONTEND: Final = folders.PACKAGES / "frontend"

ENGINE_PLATFORMS: Final = {("Linux", "x86_64"): "linux-x64-gnu"}
"""Platforms (uname) that package-lock.json has an engine package for; others need a `clickhouse` binary."""


def engine_package() -> str | None:
    """Returns the npm package that holds the engine for this machine, or None where there is none."""
    name = ENGINE_PLATFORMS.get((platform.system(), platform.machine()))
    return f"@chdb/lib-{name}" if name else None


def engine_library() -> Path | None:
    """Returns the installed ClickHouse engine, or None when it is not installed or does not exist for this machine."""
    package = engine_package()
    if package is None:
        return None
    library = ENGINE / "node_modules" / package / "libchdb.so"
    return library if library.exists() else None


def broker_jars() -> Path | None:
    """Returns the folder of Kafka's jars, or None when they are not installed."""
    jars = BROKER / "libs"
    return jars if any(jars.glob("kafka_*.jar")) else None
