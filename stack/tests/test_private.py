"""Nobody else on the machine reads what a stack holds."""

import os
from pathlib import Path

from stack.private import OTHERS, keep_private


def test_a_home_that_was_open_is_closed(tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / "kafka" / "data").mkdir(parents=True)
    for path in (home / "keys.json", home / "kafka" / "server.properties", home / "kafka" / "data" / "log"):
        path.write_text("secret")
        path.chmod(0o644)
    for folder in (home, home / "kafka", home / "kafka" / "data"):
        folder.chmod(0o755)
    before = os.umask(0o022)

    try:
        outside = tmp_path / "outside"
        outside.mkdir(mode=0o755)
        (home / "link").symlink_to(outside)
        keep_private(home)
        (home / "new").write_text("secret")
    finally:
        os.umask(before)

    assert [path for path in (home, *home.rglob("*")) if not path.is_symlink() and path.stat().st_mode & OTHERS] == []
    assert outside.stat().st_mode & 0o777 == 0o755


def test_a_shared_folder_stays_open(tmp_path: Path) -> None:
    tmp_path.chmod(0o1777)
    before = os.umask(0o022)
    try:
        keep_private(tmp_path)
    finally:
        os.umask(before)
    assert tmp_path.stat().st_mode & 0o7777 == 0o1777
