"""Waits for the recovery from one kill, while further faults may follow it."""

from collections.abc import Callable
from threading import Event

from kit.clickhouse import connect_shards
from kit.clock import Clock
from kit.errors import Unavailable
from loadtest.faults.inflict import RECOVERY_SECONDS
from loadtest.faults.study import Recovery
from loadtest.log_store import LogStore
from loadtest.own_stack import OwnStack
from loadtest.traffic.load import Load
from loadtest.traffic.scheduled_exports import Answered
from loadtest.waiting import wait_until
from schema.clickhouse.tables import table_name


def recovery(target: str, load: Load, stack: OwnStack, clock: Clock, over: Event) -> Recovery:
    """Waits until a request started from now on is acknowledged, and its records are found.

    `target` has just been killed. Raises Unavailable if one of both takes longer than RECOVERY_SECONDS, or when `over`
    is set.
    """
    killed_at = clock.monotonic()

    def wait_for(reached: Callable[[], bool], failure: str) -> None:
        def reached_in_time() -> bool:
            if over.is_set():
                raise Unavailable(f"the faults ended before the recovery from a kill of {target}")
            return reached()

        wait_until(reached_in_time, clock, RECOVERY_SECONDS, f"{failure} after {target} was killed")

    wait_for(lambda: load.first_started_after(killed_at) is not None, "no request was acknowledged")
    answer = load.first_started_after(killed_at)
    assert answer is not None
    wait_for(lambda: _finds(stack, answer, clock), "records were not found")
    return Recovery(
        target=target,
        acknowledged_after=answer.at - killed_at,
        searchable_after=clock.monotonic() - killed_at,
    )


def _finds(stack: OwnStack, answer: Answered, clock: Clock) -> bool:
    try:
        with connect_shards(stack.settings) as shards:
            store = LogStore(shards, stack.settings, clock)
            return store.holds(table_name(answer.sender.lane), answer.sender.tenant_id, answer.time_ns)
    except Unavailable:
        return False
