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
    finding = searched_finding(client, Place(shard=1, replica=2))
    assert finding.level is level
    assert ("replica fill 2 --from" in finding.advice) == (level is Level.warn)
    assert ("replica 2 of shard 1" in finding.seen) == (level is Level.warn)
