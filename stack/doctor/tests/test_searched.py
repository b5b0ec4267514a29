"""Tests that the doctor warns of a replica that searches do not read."""

from types import SimpleNamespace
from typing import cast

import pytest
from clickhouse_connect.driver.client import Client

from kit.topology import Place
from stack.doctor.finding import Level
from stack.doctor.searched import searched_finding


@pytest.mark.parametrize(("exists", "level"), [(1, Level.ok), (0, Level.warn)])
def test_a_replica_without_the_mark_is_a_warning(exists: int, level: Level) -> None:
    client = cast("Client", SimpleNamespace(command=lambda _: exists))
    finding = searched_finding(client, Place(shard=1, replica=2), shards=2)
    assert finding.level is level
    assert ("replica fill 2 --from REPLICA --shard 1`" in finding.advice) == (level is Level.warn)
    assert ("replica 2 of shard 1" in finding.seen) == (level is Level.warn)


def test_the_command_for_the_only_shard_names_no_shard() -> None:
    client = cast("Client", SimpleNamespace(command=lambda _: 0))
    finding = searched_finding(client, Place(shard=0, replica=1), shards=1)
    assert "`logsieve replica fill 1 --from REPLICA`" in finding.advice
