"""Runs the work of answers on separate threads: writing JSON, and computing numbers from many rows.

Building models of 1,000 records of 4 KB would block the event loop for 0.4 s. The event loop's own threads may all be
waiting for ClickHouse.
"""

from kit.clock import Clock
from kit.tenant_threads import TenantThreads


class AnswerThreads(TenantThreads):
    """Threads of a process that write answers. Use them from one event loop only.

    Runs one answer of a tenant at a time, so that a thread is free for other tenants. A page of large, nested
    attributes may take seconds.
    """

    def __init__(self, clock: Clock) -> None:
        super().__init__("answer-writer", clock)
