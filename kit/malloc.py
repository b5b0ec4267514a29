"""Bounds the freed memory that the C library keeps for later.

glibc gives each thread a heap of its own, up to eight heaps for each processor. A heap cannot return freed memory to
the system while a later block of the same heap is in use. Messages of several megabytes, which one thread allocates and
another frees, therefore leave unused holes in all heaps.
"""

import ctypes
from typing import Final

ARENAS: Final = 2
"""Number of heaps, which all threads share."""

_M_ARENA_MAX: Final = -8
"""Number of the option in glibc's malloc.h."""


def share_heaps() -> None:
    """Makes all threads of this process share ARENAS heaps. Call it before threads are started.

    Does nothing if the C library is not glibc.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_M_ARENA_MAX, ARENAS)
