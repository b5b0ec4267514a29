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


class Shown(dict[str, int]):
    """Takes the place of the metric. Has its newest value for each shard."""

    def set(self, amount: int, labels: dict[str, str]) -> None:
        self[labels["shard"]] = amount


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> Shown:
    seen = Shown()
    monkeypatch.setattr("ingest.loader.disk_room.metrics.gauge", lambda _: seen)
    return seen


def test_only_shards_in_use_are_shown_as_full(shown: Shown) -> None:
    settings = Settings(clickhouse_url=URLS, loader_stop_percent=95)
    room = DiskRoom(settings, ManualClock(0), lambda _: Volume(1_000, 0))
    for shard in (0, 1):
        with pytest.raises(Unavailable):
            room.check(shard)
    assert shown == {"0": 1, "1": 1}

    room.use_only({1})
    assert shown == {"0": 0, "1": 1}
    # The check of a delivery that began before its partition was revoked.
    with pytest.raises(Unavailable):
        room.check(0)
    assert shown == {"0": 0, "1": 1}

    room.use_only({0, 1})
    with pytest.raises(Unavailable):
        room.check(0)
    assert shown == {"0": 1, "1": 1}


def test_a_shard_that_is_revoked_while_its_disk_is_read_is_not_shown_as_full(shown: Shown) -> None:
    def read(_shard: int) -> Volume:
        room.use_only(())
        return Volume(1_000, 0)

    room = DiskRoom(Settings(loader_stop_percent=95), ManualClock(0), read)
    with pytest.raises(Unavailable):
        room.check(0)
    assert shown.get("0", 0) == 0
