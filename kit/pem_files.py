"""Explains to an operator why a PEM file that a setting names cannot be used."""

from collections.abc import Mapping
from pathlib import Path


def unreadable_file(named: Mapping[str, Path | None]) -> str | None:
    """Returns a sentence about the first file that cannot be read; None if all can. Keys are names of settings."""
    for setting, path in named.items():
        if path is None:
            continue
        try:
            path.open("rb").close()
        except OSError as error:
            return (
                f"{setting} is {path}, which cannot be read ({error.strerror}): name a PEM file that exists and that"
                " the user of this process may read"
            )
    return None


def unusable_files(named: Mapping[str, Path | None], error: Exception) -> str:
    """Returns a sentence about files of which no TLS context could be made. `error` says why."""
    settings = " and ".join(f"{setting} ({path})" for setting, path in named.items() if path is not None)
    return unreadable_file(named) or (
        f"{settings} cannot be used ({error}): name PEM files with certificates, and for each certificate its own"
        " private key, not encrypted"
    )
