"""Tests that a plan for a cluster depends only on its seed, and that every server fails in every way."""

from collections import Counter

import pytest

from kit.topology import Place
from loadtest.faults.cluster.plan import Failure, plan_cluster

PLACES = [Place(shard, replica) for replica in range(2) for shard in range(2)]
SERVICES = {"clickhouse", "clickhouse-1", "clickhouse-0-replica-1", "clickhouse-1-replica-1", "loader", "loader-1"}


def test_the_seed_decides_everything() -> None:
    assert plan_cluster(7, 40, PLACES) == plan_cluster(7, 40, PLACES)
    assert plan_cluster(7, 40, PLACES) != plan_cluster(8, 40, PLACES)


@pytest.mark.parametrize("seed", range(10))
def test_every_server_is_killed_and_hangs_and_one_is_wiped(seed: int) -> None:
    steps = plan_cluster(seed, 40, PLACES)
    kills = Counter(step.service for step in steps if step.failure.is_kill)
    assert kills.total() == 40
    assert set(kills) == SERVICES
    assert max(kills.values()) - min(kills.values()) <= 1
    assert Counter(step.place for step in steps if step.failure is Failure.node_hangs) == Counter(PLACES)
    assert sum(step.failure is Failure.node_wiped for step in steps) == 1


def test_without_kills_servers_still_hang() -> None:
    assert Counter(step.failure for step in plan_cluster(1, 0, PLACES)) == {
        Failure.node_hangs: len(PLACES),
        Failure.node_wiped: 1,
    }
