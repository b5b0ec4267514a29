"""Tests which stacks count as waiting."""

import pytest

from kit.profile.wait_frames import Wait, wait_of


@pytest.mark.parametrize(
    ("innermost", "expected"),
    [
        (("pthread_mutex_lock@@GLIBC_2.2.5", "__GI___lll_lock_wait"), Wait.lock),
        (("pthread_mutex_lock", "0x85f17"), Wait.lock),  # glibc without debug symbols
        (("0xf03c29e", "syscall"), Wait.lock),
        (("___pthread_rwlock_rdlock", "__futex_abstimed_wait_common64"), Wait.lock),
        (("std::__1::mutex::lock()", "DB::f", "0x1"), Wait.lock),
        (("pthread_cond_wait", "__futex_abstimed_wait_common"), Wait.pause),
        (("pthread_cond_wait", "pthread_mutex_lock", "__lll_lock_wait"), Wait.lock),
        (("Poco::Net::poll", "__GI___poll"), Wait.pause),
        (("0x1", "__libc_recv"), Wait.pause),
        (("DB::scan", "memcpy"), None),
        (("0x1", "__GI___libc_read"), None),
    ],
)
def test_the_innermost_frames_say_what_a_thread_waits_for(innermost: tuple[str, ...], expected: Wait | None) -> None:
    assert wait_of(("HTTPHandler", "start_thread", "DB::run", *innermost)) == expected


def test_a_thread_that_works_below_a_wait_does_not_wait() -> None:
    assert wait_of(("HTTPHandler", "pthread_mutex_lock", "DB::a", "DB::b", "DB::c")) is None
