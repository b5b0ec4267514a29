"""Counts a folder of log files into a dictionary that can be shipped."""

import lzma
from pathlib import Path

from kit.errors import InvalidRequest
from loadtest.corpus.dictionary import Dictionary, count


def count_folder(folder: Path, attribution: str) -> Dictionary:
    """One collection a `*.log` file. Raises InvalidRequest when there is none."""
    files = sorted(folder.glob("*.log"))
    if not files:
        raise InvalidRequest(f"{folder} has no *.log files")
    return Dictionary(
        attribution=attribution,
        collections=tuple(
            count(file.stem.removesuffix("_2k"), file.read_text(errors="replace").splitlines()) for file in files
        ),
    )


def write_dictionary(dictionary: Dictionary, file: Path) -> None:
    """As compressed JSON; the same dictionary gives the same bytes."""
    file.write_bytes(lzma.compress(dictionary.model_dump_json().encode(), preset=9))
