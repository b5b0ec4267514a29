from ingest.dead.deleted_tenants import REREAD_SECONDS, DeletedTenants
from kit.clock import ManualClock


def test_a_tenant_that_is_deleted_during_a_replay_is_known_a_little_later() -> None:
    readings, clock = [{1}, {1, 2}], ManualClock()
    deleted = DeletedTenants(lambda: readings.pop(0), clock, 30.0, 60.0)
    assert (1 in deleted, 2 in deleted, None in deleted) == (True, False, False)
    clock.advance(REREAD_SECONDS - 1)
    assert 2 not in deleted
    clock.advance(1)
    assert (1 in deleted, 2 in deleted) == (True, True)
    assert readings == []


def test_deleted_tenants_are_read_each_time_if_erasures_begin_soon() -> None:
    readings = [{1}, {1}, {1, 2}]
    deleted = DeletedTenants(lambda: readings.pop(0), ManualClock(), 30.0, 30.0)
    assert 2 not in deleted
    assert 2 in deleted
