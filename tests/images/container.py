"""A container of our image that buildah runs in a chroot on the network of this machine."""

import json
import os
import re
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import psutil

BUILDAH: Final = {"BUILDAH_ISOLATION": "chroot", "STORAGE_DRIVER": "vfs"}
"""Environment of buildah where there are no user namespaces. scripts/images builds with the same."""

MAY_WRITE: Final = ("tmp", "var/lib/logsieve")
"""Folders in which processes of the image may write. Everything else may be a read-only file system."""

_MADE_BY_BUILDAH: Final = ("dev", "proc", "sys", "run", "etc/hosts", "etc/resolv.conf", "etc/hostname")
_COMMAND_SECONDS = 120.0


@dataclass(frozen=True, slots=True)
class Container:
    """A working container. Its processes run side by side and share its files."""

    name: str
    root: Path
    entrypoint: tuple[str, ...]

    def run(self, *arguments: str, environment: Mapping[str, str]) -> str:
        """Runs the image's program with these arguments, and returns what it prints. Fails the test if it fails."""
        done = subprocess.run(
            self._command(arguments, environment),
            env=os.environ | BUILDAH,
            capture_output=True,
            text=True,
            timeout=_COMMAND_SECONDS,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def start(self, program: str, environment: Mapping[str, str], log: Path) -> "subprocess.Popen[bytes]":
        """Starts a program of the image in the background. Its output goes into the file `log`."""
        with log.open("wb") as file:
            return subprocess.Popen(
                self._command((program,), environment), env=os.environ | BUILDAH, stdout=file, stderr=file
            )

    def succeeds(self, command: Sequence[str]) -> bool:
        """Returns whether a command in the container ends with exit code 0, as a health check must."""
        full = ["buildah", "run", self.name, "--", *command]
        return subprocess.run(full, env=os.environ | BUILDAH, capture_output=True, check=False).returncode == 0

    def files(self) -> dict[str, float]:
        """Returns the times of change of all files that may be on a read-only file system, by path."""
        found = dict[str, float]()
        for name_of, folders, files in os.walk(self.root):
            folder = Path(name_of)
            inside = folder.relative_to(self.root)
            folders[:] = [name for name in folders if str(inside / name) not in MAY_WRITE + _MADE_BY_BUILDAH]
            for name in files:
                path = str(inside / name)
                if path not in _MADE_BY_BUILDAH:
                    found[path] = (folder / name).lstat().st_mtime
        return found

    def _command(self, arguments: Sequence[str], environment: Mapping[str, str]) -> list[str]:
        variables = [f"--env={name}={value}" for name, value in environment.items()]
        return ["buildah", "run", *variables, self.name, "--", *self.entrypoint, *arguments]


@contextmanager
def container_of(image: str) -> Iterator[Container]:
    """Yields a new container of an image, and removes it after the block."""
    name = _buildah("from", image).strip()
    try:
        described: dict[str, Any] = json.loads(_buildah("inspect", name))
        entrypoint = tuple(described["OCIv1"]["config"]["Entrypoint"])
        yield Container(name, Path(_buildah("mount", name).strip()), entrypoint)
    finally:
        _buildah("rm", name)


def stop(process: "subprocess.Popen[bytes]", program: str) -> None:
    """Sends SIGTERM to the first process of a running container, as a container runtime does.

    buildah does not pass signals on, so the process is found by its command line.
    """
    for each in psutil.Process(process.pid).children(recursive=True):
        if re.search(rf"^\S*tini -- .* {program}$", " ".join(each.cmdline())):
            each.send_signal(signal.SIGTERM)


def _buildah(*arguments: str) -> str:
    done = subprocess.run(
        ["buildah", *arguments], env=os.environ | BUILDAH, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
