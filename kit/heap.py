"""Bounds the freed memory that the C library keeps for later.

glibc gives threads heaps of their own, up to eight for each processor, and none of them gives memory back that lies
below something in use. Messages of megabytes that one thread allocates and another frees then leave holes in all of
them.
"""

import ctypes
from typing import Final

ARENAS: Final = 2
"""Heaps that all threads share."""

_M_ARENA_MAX: Final = -8
"""Number of the option in glibc's malloc.h."""


def share_heaps() -> None:
    """Lets all threads of this process share ARENAS heaps, from now on. To be called before threads are started.

    Does nothing where the C library is another one than glibc.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_M_ARENA_MAX, ARENAS)
