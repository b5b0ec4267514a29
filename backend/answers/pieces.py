"""Cuts texts of answers into pieces that the event loop sends one by one."""

from collections.abc import Iterable, Iterator
from typing import Final

PIECE_BYTES: Final = 64 * 2**10
"""Largest piece of an answer, in bytes. A piece ends with a record, or inside a record that is longer."""


def pieces(texts: Iterable[bytes]) -> list[bytes]:
    """Returns the texts joined and cut into pieces of about PIECE_BYTES."""
    return list(_pieces(texts))


def _pieces(texts: Iterable[bytes]) -> Iterator[bytes]:
    held: list[bytes] = []
    size = 0
    for text in texts:
        held.append(text)
        size += len(text)
        if size >= PIECE_BYTES:
            joined = b"".join(held)
            yield from (joined[first : first + PIECE_BYTES] for first in range(0, size, PIECE_BYTES))
            held, size = [], 0
    if held:
        yield b"".join(held)
