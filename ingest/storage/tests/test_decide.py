"""Tests how several servers decide together which days tenants keep, and how bytes of shared partitions are split."""

import pytest

from ingest.storage.decide import Decision, Measured, Situation, decide
from ingest.storage.measure import UNKNOWN_RECORD_BYTES, TenantBytes, Volume, split
from kit.settings import Settings
from schema.control.storage import KeptTenant

TODAY = 20_000
SETTINGS = Settings(storage_guaranteed_bytes=0, storage_target_percent=90)
DAYS = {TODAY - age: 100 for age in range(5)}


def server(url: str, used: int, stored: TenantBytes, shard: int = 0, total: int = 1_000) -> Measured:
    return Measured(url, shard, Volume(total, total - used), stored)


def decided(*servers: Measured, kept_from: int = 0) -> Decision:
    tenants = {1: KeptTenant("large", 30, kept_from), 2: KeptTenant("small", 30, 0)}
    return decide(Situation(servers, tenants, SETTINGS, TODAY), TODAY * 86_400 * 10**9)


def test_other_files_on_a_volume_leave_less_to_logs() -> None:
    # 500 bytes are logs and 450 are other files. Of 900, logs may take 450.
    found = decided(server("http://a", 950, {1: DAYS, 2: {TODAY: 50}}))
    assert found.kept_from == {1: TODAY - 3}
    assert found.report.tenants[1].share + found.report.tenants[2].share <= 500
    assert found.report.volumes[0].over == 0


def test_rows_that_are_being_removed_count_as_free() -> None:
    assert decided(Measured("http://a", 0, Volume(1_000, 50, removing=50), {1: DAYS})).kept_from == {}
    # One day may not be kept any more and is still on the disk.
    assert decided(server("http://a", 980, {1: DAYS}), kept_from=TODAY - 3).kept_from == {}


def test_rows_of_unknown_tenants_are_other_files() -> None:
    found = decided(server("http://a", 950, {9: DAYS}))
    assert (found.kept_from, found.report.volumes[0].over) == ({}, 50)


HALF = {TODAY - age: 100 for age in range(2)}


@pytest.mark.parametrize(
    "other",
    [
        server("http://b", 500, {1: DAYS}),
        # It is being filled, or its loader is behind.
        server("http://b", 0, {}),
        server("http://b", 200, {1: HALF}),
        # Its parts are merged better, and its volume is larger.
        server("http://b", 450, {1: dict.fromkeys(DAYS, 90)}, total=10_000),
        Measured("http://b", 0, Volume(0, 0), {1: DAYS}),
    ],
)
def test_a_replica_with_room_does_not_hide_a_full_one(other: Measured) -> None:
    full = server("http://a", 1_100, {1: DAYS}, total=1_100)
    for servers in ((full, other), (other, full)):
        found = decided(*servers)
        assert found.kept_from == {1: TODAY - 2}
        shown = found.report.tenants[1]
        assert (shown.bytes, shown.share) == (500, 390)


def test_days_are_removed_until_every_replica_has_room() -> None:
    # The large tenant has most bytes on the first replica, the small one on the second, which is behind.
    one = server("http://a", 950, {1: DAYS, 2: {TODAY: 50}})
    two = server("http://b", 950, {1: {TODAY: 100}, 2: DAYS})
    assert decided(one).kept_from == {1: TODAY - 3}
    assert decided(two).kept_from == {2: TODAY - 3}
    assert decided(one, two).kept_from == {1: TODAY - 3, 2: TODAY - 3}


def test_a_prediction_names_the_first_loss_on_any_replica() -> None:
    # The second volume is less full, and smaller: it is full earlier.
    fullest, first_full = server("http://a", 8_600, {1: DAYS}, total=10_000), server("http://b", 850, {1: DAYS})
    found = decided(fullest, first_full)
    assert found.report.tenants[1].loss == decided(first_full).report.tenants[1].loss is not None
    both = decided(first_full, server("http://c", 850, {1: DAYS})).report.tenants[1]
    assert both.loss is not None
    assert (both.loss.bytes, both.bytes) == (100, 500)


def test_a_tenant_keeps_the_days_that_every_shard_lets_it_keep() -> None:
    one = server("http://a", 950, {1: DAYS}, shard=0)
    two = server("http://b", 1_100, {1: DAYS}, shard=1, total=1_100)
    found = decided(one, two)
    assert found.kept_from == {1: TODAY - 2}
    assert found.report.tenants[1].bytes == 1_000


def test_servers_on_one_volume_each_make_room_for_their_part() -> None:
    # Both see 200 bytes above the target, of which each has one half.
    servers = [server(f"http://127.0.0.1:{port}", 1_100, {1: DAYS}, shard) for shard, port in ((0, 8123), (1, 8133))]
    assert decided(*servers).kept_from == {1: TODAY - 3}


def test_a_prediction_names_the_first_loss_of_all_shards() -> None:
    early, late = server("http://a", 850, {1: DAYS}, 0), server("http://b", 700, {1: DAYS}, 1)
    loss = decided(early, late).report.tenants[1].loss
    assert loss is not None
    assert (loss.on, loss.first_day, loss.last_day, loss.bytes) == (TODAY + 1, TODAY - 4, TODAY - 4, 100)


def test_bytes_of_a_partition_are_split_by_rows_and_size_of_records() -> None:
    assert split(1_000, {1: 10, 2: 30}, {1: 300.0, 2: 100.0}) == {1: 500, 2: 500}
    assert split(1_000, {1: 10, 2: 10}, {1: 3 * UNKNOWN_RECORD_BYTES}) == {1: 750, 2: 250}
    assert split(1_000, {}, {}) == {}


def test_on_a_volume_without_a_size_nobody_loses_days_now_or_later() -> None:
    found = decided(Measured("http://a", 0, Volume(0, 0), {1: DAYS, 2: {TODAY: 50}}))
    assert found.kept_from == {}
    assert found.report.volumes[0].target_reached_on is None
    assert {tenant: each.loss for tenant, each in found.report.tenants.items()} == {1: None, 2: None}
    assert found.report.tenants[1].share == found.report.tenants[1].bytes == 500


def test_days_that_a_server_on_the_same_volume_loses_are_not_lost_twice() -> None:
    # Each server has 200 bytes of days that are not kept any more, and the volume has 200 bytes above the target.
    servers = [server(f"http://127.0.0.1:{port}", 1_100, {1: DAYS}, shard) for shard, port in ((0, 8123), (1, 8133))]
    assert decided(*servers, kept_from=TODAY - 3).kept_from == {}
