"""Default folders of a checkout and of an installed package."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from kit import folders

PRINT = "from kit import folders; print(folders.HOME, folders.RUNTIME, folders.UI, sep='\\n')"


def test_a_checkout_keeps_everything_in_itself() -> None:
    found = {folders.HOME, folders.RUNTIME, folders.UI}
    assert found == {folders.PACKAGES / part for part in (".logsieve", ".runtime", "frontend/dist")}


def test_a_wheel_has_the_web_ui_where_an_installed_package_looks_for_it() -> None:
    assert 'UI = "backend/ui/dist"' in (folders.PACKAGES / "scripts" / "build_backend.py").read_text()


@pytest.mark.parametrize("data_home", ["", "relative", "/data"])
def test_an_installed_package_keeps_its_state_in_the_users_folders(tmp_path: Path, data_home: str) -> None:
    (tmp_path / "site" / "kit").mkdir(parents=True)
    (tmp_path / "site" / "kit" / "__init__.py").touch()
    shutil.copy(str(folders.__file__), tmp_path / "site" / "kit")
    environment = {"HOME": "/home/someone", "XDG_DATA_HOME": data_home, "PATH": os.environ["PATH"]}
    command = [sys.executable, "-c", PRINT]
    done = subprocess.run(command, cwd=tmp_path / "site", env=environment, capture_output=True, text=True, check=True)

    data = "/data" if data_home == "/data" else "/home/someone/.local/share"
    ui = str(tmp_path / "site" / "backend" / "ui" / "dist")
    assert done.stdout.split() == [f"{data}/logsieve", "/home/someone/.cache/logsieve", ui]
