"""Tests that inserts stop while a disk is too full, with the reason, and continue when there is room."""

import pytest

from ingest.loader.disk_room import CHECK_SECONDS, DiskRoom
from ingest.storage.measure import Volume
from kit.clock import ManualClock
from kit.errors import Unavailable
from kit.settings import Settings

URLS = "http://one:8123,http://two:8123"


def test_a_full_disk_stops_inserts_on_its_shard_until_there_is_room() -> None:
    clock, free = ManualClock(0), {0: 50, 1: 51}
    settings = Settings(clickhouse_url=URLS, loader_stop_percent=95)
    room = DiskRoom(settings, clock, lambda shard: Volume(1_000, free[shard]))

    with pytest.raises(Unavailable, match=r"http://one:8123 is 95\.0 % full.*LOGSIEVE_LOADER_STOP_PERCENT"):
        room.check(0)
    room.check(1)

    free[0] = 60
    clock.advance(CHECK_SECONDS - 1)
    with pytest.raises(Unavailable):
        room.check(0)
    clock.advance(1)
    room.check(0)


def test_a_server_without_local_volumes_never_stops_inserts() -> None:
    DiskRoom(Settings(), ManualClock(0), lambda _: Volume(0, 0)).check(0)
