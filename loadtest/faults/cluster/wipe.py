"""Wipes a ClickHouse server, and fills its replica again as docs/operations/several-servers.md says."""

import shutil
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Final

from kit.clock import Clock
from kit.errors import Internal
from kit.topology import Place
from loadtest.own_stack import OwnStack
from loadtest.services import Services, loader_name, node_name
from loadtest.waiting import wait_until

FILL_SECONDS: Final = 180.0
"""Longest time, in seconds, until a replica is filled. Kafka removes silent loaders from their groups after 10 s."""


def wipe(stack: OwnStack, place: Place) -> None:
    """Deletes all files of a server and kills it. Raises Unavailable if it has no process now."""
    suffix = f"-replica-{place.replica}" if place.replica else ""
    data = stack.home.resolve() / "clickhouse" / f"node-{place.shard}{suffix}" / "data"  # stack/clickhouse/node.py
    # A stopped server cannot write into the folder while it is deleted.
    with stack.services.stopped(node_name(place)) as process:
        shutil.rmtree(data)
        process.kill()


def fill_again(stack: OwnStack, place: Place, clock: Clock) -> None:
    """Fills the replica of a wiped server, which is ready again, from another replica, and admits it.

    Raises Internal if a command fails, Unavailable if Kafka keeps the loaders in their groups.
    """
    stack.run("migrate", seconds=FILL_SECONDS)
    replicas = range(stack.settings.topology.replicas)
    source = next(each for each in replicas if each != place.replica)
    with _stopped_loaders(stack.services, [loader_name(each) for each in replicas], clock):
        failure = "Kafka did not remove the loaders from their groups"
        wait_until(lambda: _is_filled(stack, place.replica, source), clock, FILL_SECONDS, failure)
    stack.run("replica", "admit", str(place.replica), seconds=FILL_SECONDS)


@contextmanager
def _stopped_loaders(services: Services, names: Sequence[str], clock: Clock) -> Iterator[None]:
    """Keeps the loaders from running within the block.

    Each is killed, so that it sends no half of an insert later, and its next process is stopped as soon as it exists.
    Raises Unavailable if a loader is not started again.
    """
    with ExitStack() as held:
        before = {name: services.pid(name) for name in names}
        for name in names:
            services.kill(name)
        for name in names:
            services.wait_for_next_process(name, before[name], clock, FILL_SECONDS)
            held.enter_context(services.stopped(name))
        yield


def _is_filled(stack: OwnStack, target: int, source: int) -> bool:
    """Fills a replica. Returns false if the command is refused because Kafka still has loaders in their groups."""
    try:
        stack.run("replica", "fill", str(target), "--from", str(source), seconds=FILL_SECONDS)
    except Internal as error:
        if "are running" not in " ".join(error.detail.split()):
            raise
        return False
    return True
