"""Keeps the home folder to its owner: folders 0700, files 0600."""

import os
import stat
from pathlib import Path
from typing import Final

OTHERS: Final = 0o077
"""Permission bits of the group and of all other users."""


def keep_private(home: Path) -> None:
    """Makes the home folder private, and sets the umask so that new files of this process and its children are private.

    The mode of the home folder protects everything in it immediately. Folders in it that an earlier release left
    readable for others are made private as well. This happens once: folders that are already private are skipped. A
    shared folder such as /tmp is left unchanged.
    """
    os.umask(OTHERS)
    home.mkdir(parents=True, exist_ok=True)
    if home.stat().st_mode & stat.S_ISVTX:
        return
    _make_private(home)
    for entry in os.scandir(home):
        if not entry.is_symlink():
            _make_tree_private(entry) if entry.is_dir() else _make_private(Path(entry.path))


def _make_tree_private(folder: os.DirEntry[str]) -> None:
    """Makes a folder private after its contents, so that the next start repeats an interrupted run."""
    if not folder.stat(follow_symlinks=False).st_mode & OTHERS:
        return
    for parent, _, files in os.walk(folder.path, topdown=False):
        for name in files:
            _make_private(Path(parent, name))
        _make_private(Path(parent))


def _make_private(path: Path) -> None:
    mode = path.lstat().st_mode
    if mode & OTHERS and not stat.S_ISLNK(mode):
        path.chmod(stat.S_IMODE(mode) & ~OTHERS)
