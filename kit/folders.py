"""Folders of an installation: a checkout keeps everything in itself, an installed package in the user's folders.

Standard library only, because scripts/setup imports it before anything is installed.
"""

import os
from pathlib import Path
from typing import Final

PACKAGES: Final = Path(__file__).resolve().parent.parent
"""Folder of the packages: the checkout, or site-packages."""

IS_CHECKOUT: Final = (PACKAGES / "pyproject.toml").is_file()


def _of_user(variable: str, default: str) -> Path:
    """Returns our folder in a base folder of the XDG specification. A relative path in its variable is ignored."""
    base = Path(os.environ.get(variable, ""))
    return (base if base.is_absolute() else Path.home() / default) / "logsieve"


HOME: Final = PACKAGES / ".logsieve" if IS_CHECKOUT else _of_user("XDG_DATA_HOME", ".local/share")
"""Default of LOGSIEVE_HOME."""

RUNTIME: Final = PACKAGES / ".runtime" if IS_CHECKOUT else _of_user("XDG_CACHE_HOME", ".cache")
"""Folder of the ClickHouse engine and of Kafka's jars, which can be fetched again."""

UI: Final = PACKAGES / "frontend" / "dist" if IS_CHECKOUT else PACKAGES / "backend" / "ui" / "dist"
"""Folder of the built web UI."""
