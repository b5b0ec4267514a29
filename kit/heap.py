"""Bounds the freed memory that the C library keeps for later.

glibc gives threads heaps of their own, up to eight for each processor. No heap returns memory to the system that lies
below a block in use. So messages of several megabytes that one thread allocates and another frees leave holes in all
heaps.
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
