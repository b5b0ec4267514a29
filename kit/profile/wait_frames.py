"""Recognises the functions in which a thread waits, by the names of the innermost frames of its stack."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Final

INNERMOST: Final = 3
"""Number of innermost frames in which a waiting function is looked for. Functions inside of glibc that have no exported
name lie between the system call and the function that the program called."""

_LOCKS: Final = frozenset(
    ("pthread_mutex_lock", "lll_lock_wait", "pthread_rwlock_rdlock", "pthread_rwlock_wrlock", "syscall")
)
"""Functions of glibc in which a thread waits for a lock. ClickHouse's own locks call futex(2) through `syscall`."""
_PAUSES: Final = frozenset(
    (
        *("futex_abstimed_wait_common", "pthread_cond_wait", "pthread_cond_timedwait", "pthread_cond_clockwait"),
        *("epoll_wait", "epoll_pwait", "poll", "ppoll", "select", "accept", "accept4", "recv", "recvfrom", "recvmsg"),
        *("nanosleep", "clock_nanosleep", "sem_wait", "sem_timedwait", "sem_clockwait", "pthread_join"),
        *("sigwait", "sigtimedwait"),
    )
)
"""Functions of glibc in which a thread waits for work, for a client or for a time."""
_LOCK_CALLERS: Final = (
    "std::__1::mutex::lock",
    "std::__1::shared_mutex::lock",
    "std::__1::recursive_mutex::lock",
    "DB::SharedMutex::lock",
    "DB::CancelableSharedMutex::lock",
)
"""Beginnings of the names of functions that do nothing but wait for a lock."""


class Wait(StrEnum):
    """Cause of a thread's wait: a lock, or anything else (work, a client, a time)."""

    lock = "lock"
    pause = "pause"


def wait_in(frame: str) -> Wait | None:
    """Returns what a thread in this function waits for, or None if the function does not wait."""
    name = _without_decoration(frame)
    if name in _LOCKS or frame.startswith(_LOCK_CALLERS):
        return Wait.lock
    return Wait.pause if name in _PAUSES else None


def wait_of(stack: Sequence[str]) -> Wait | None:
    """Returns what the thread of a stack waits for, or None if it runs or is ready to run.

    `stack` has the outermost frame first. Reads of files count as running, because most of them copy from memory.
    """
    waits = {wait_in(frame) for frame in stack[-INNERMOST:]}
    return next((wait for wait in (Wait.lock, Wait.pause) if wait in waits), None)


def _without_decoration(frame: str) -> str:
    """Returns the name without the underscores, prefixes and versions that glibc gives to aliases of a function."""
    name = frame.partition("@")[0].lstrip("_")
    for prefix in ("GI_", "libc_"):
        name = name.removeprefix(prefix).lstrip("_")
    return name
