"""Tests that the command, all packages and the changelog have the same version."""

import json
import re
import tomllib
from importlib.metadata import version

from kit.folders import PACKAGES


def toml(path: str, table: str) -> str:
    """Returns the version in a table of a TOML file."""
    return str(tomllib.loads((PACKAGES / path).read_text())[table]["version"])


def test_all_packages_share_a_version() -> None:
    found = {
        "pyproject.toml": toml("pyproject.toml", "project"),
        "native/Cargo.toml": toml("native/Cargo.toml", "package"),
        "frontend/package.json": json.loads((PACKAGES / "frontend" / "package.json").read_text())["version"],
    }
    assert found == dict.fromkeys(found, version("logsieve"))


def test_the_changelog_has_it() -> None:
    released = re.findall(r"^## (\d+\.\d+\.\d+)$", (PACKAGES / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert released[0] == version("logsieve")
