"""Tests that a wheel gets the web UI of the present files."""

import os
import subprocess
import sys
from pathlib import Path
from shutil import copytree, ignore_patterns
from typing import Final

import pytest

from kit.folders import PACKAGES

_NPM: Final = """#!/bin/sh
case "$*" in
    "run build") mkdir -p dist && cp src/main.ts dist/index.html ;;
    install*) mkdir -p node_modules ;;
esac
"""
_NO_UV: Final = """
build_editable = build_sdist = build_wheel = get_requires_for_build_wheel = None
get_requires_for_build_editable = prepare_metadata_for_build_editable = None
"""
_BUILD: Final = "import build_backend; print((build_backend._built_ui() / 'index.html').read_text(), end='')"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Returns a checkout with a page of an earlier release, as `pip install .` of that release left it."""
    checkout = tmp_path / "checkout"
    for package in ("kit", "stack", "scripts"):
        copytree(PACKAGES / package, checkout / package, ignore=ignore_patterns("__pycache__", "tests"))
    (checkout / "pyproject.toml").touch()
    for file, text in {"src/main.ts": "new", "dist/index.html": "old", "package.json": ""}.items():
        (checkout / "frontend" / file).parent.mkdir(parents=True, exist_ok=True)
        (checkout / "frontend" / file).write_text(text)
    npm = tmp_path / "programs" / "npm"
    npm.parent.mkdir()
    npm.write_text(_NPM)
    npm.chmod(0o700)
    (tmp_path / "uv_build.py").write_text(_NO_UV)
    return checkout


def build(checkout: Path, *, has_npm: bool = True) -> subprocess.CompletedProcess[str]:
    """Calls the backend as pip does: without the checkout on the path of modules."""
    modules = os.pathsep.join((str(checkout / "scripts"), str(checkout.parent)))
    path = os.pathsep.join((str(checkout.parent / "programs"), os.defpath)) if has_npm else ""
    return subprocess.run(
        [sys.executable, "-P", "-c", _BUILD],
        cwd=checkout.parent,
        env={"PYTHONPATH": modules, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_a_wheel_has_the_web_ui_of_the_present_files(checkout: Path) -> None:
    assert build(checkout).stdout == "new"

    (checkout / "frontend" / "src" / "main.ts").write_text("newer")
    assert build(checkout).stdout == "newer"


def test_a_web_ui_that_is_built_needs_no_npm(checkout: Path) -> None:
    refused = build(checkout, has_npm=False)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "install Node.js" in refused.stderr

    build(checkout)
    assert build(checkout, has_npm=False).stdout == "new"


def test_a_build_that_fails_says_why(checkout: Path) -> None:
    (checkout.parent / "programs" / "npm").write_text("#!/bin/sh\necho the registry does not answer\nexit 1\n")
    refused = build(checkout)
    assert refused.returncode == 1
    assert "the registry does not answer" in refused.stderr
