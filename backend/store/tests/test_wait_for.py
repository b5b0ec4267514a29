"""Tests the wait for the records that earlier pages showed."""

import asyncio

import pytest

from backend.store.execute import Executor
from backend.store.replicas.shown import NOTHING_SHOWN, Shown
from backend.store.replicas.watched import WatchedReplicas
from kit.clock import SystemClock
from kit.errors import Unavailable
from kit.settings import Settings


class Behind(WatchedReplicas):
    """Replicas of two shards. The first shard waits without end, and the second one fails."""

    def __init__(self) -> None:
        super().__init__(Settings(), SystemClock())
        self.is_stopped = False

    async def wait_for(self, shard: int, _shown: Shown) -> None:
        if shard == 1:
            raise Unavailable("behind")
        try:
            await asyncio.Event().wait()
        finally:
            self.is_stopped = True


def test_after_an_error_of_one_shard_no_other_shard_is_waited_for() -> None:
    replicas = Behind()

    async def wait() -> bool:
        with pytest.raises(Unavailable):
            await Executor(Settings(), replicas=replicas).wait_for([0, 1], NOTHING_SHOWN)
        return replicas.is_stopped

    assert asyncio.run(wait())
