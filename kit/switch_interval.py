"""Lets the event loop of a process run soon while other threads compute."""

import sys
from typing import Final

SWITCH_SECONDS: Final = 0.0005
"""Longest time, in seconds, that a thread keeps Python's global lock while another thread waits for it. Python's
default is 5 ms."""


def shorten_switch_interval() -> None:
    """Shortens the time for which a computing thread keeps Python's global lock, for the whole process.

    Receivers decode large requests in threads; the API and the alert worker parse queries and decode answers of
    ClickHouse in threads. With Python's default, each such thread would add 5 ms to every step of the event loop, so
    that one tenant's large request or query would delay the requests of all others.
    """
    sys.setswitchinterval(SWITCH_SECONDS)
