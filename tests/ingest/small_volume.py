"""A volume of ClickHouse that tests can fill."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

VOLUME_MIB = 400


def volume_of(home: Path) -> Path:
    """Returns the folder of ClickHouse under a home."""
    return home / "clickhouse"


@contextmanager
def mounted(home: Path) -> Iterator[None]:
    """Mounts a volume of VOLUME_MIB for ClickHouse under a new home. Skips the test without the right to mount."""
    folder = volume_of(home)
    folder.mkdir(parents=True)
    options = ("-t", "tmpfs", "-o", f"size={VOLUME_MIB}m,mode=0700", "tmpfs", str(folder))
    done = subprocess.run(["mount", *options], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip(f"this test needs the right to mount a tmpfs, and it was refused: {done.stderr.strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def used_share(home: Path) -> float:
    found = os.statvfs(volume_of(home))
    return 1 - found.f_bavail / found.f_blocks


def fill(filler: Path, share: float) -> None:
    """Fills the file's volume up to a used share, with this one file."""
    found = os.statvfs(filler.parent)
    size = int((found.f_bavail - (1 - share) * found.f_blocks) * found.f_frsize)
    with filler.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, size)
