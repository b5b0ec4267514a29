"""Tests that a tenant is heavy by what others run at the same time, and not by seconds."""

from backend.store.use import REMEMBERED_SECONDS, RecentUse
from kit.clock import ManualClock


def test_a_tenant_is_heavy_beside_one_that_has_much_less_running() -> None:
    clock = ManualClock()
    use = RecentUse(clock)
    for _ in range(4):
        use.started(1)
    use.started(2)
    assert not use.is_heavy(1), "nobody ran anything yet"
    clock.advance(1)
    use.ended(2)
    assert use.is_heavy(1)
    assert not use.is_heavy(2)


def test_tenants_that_run_as_much_as_each_other_are_not_heavy_however_long_it_takes() -> None:
    clock = ManualClock()
    use = RecentUse(clock)
    for tenant in (1, 1, 2, 2, 3, 3):
        use.started(tenant)
    clock.advance(30)
    assert not any(use.is_heavy(tenant) for tenant in (1, 2, 3))


def test_a_tenant_alone_is_never_heavy_and_others_are_forgotten() -> None:
    clock = ManualClock()
    use = RecentUse(clock)
    use.started(2)
    use.ended(2)
    for _ in range(16):
        use.started(1)
    clock.advance(REMEMBERED_SECONDS / 2)
    assert use.has_others(1)
    assert use.is_heavy(1)
    clock.advance(REMEMBERED_SECONDS)
    assert not use.has_others(1)
    assert not use.is_heavy(1)
    assert use.has_others(2), "a tenant is remembered for as long as it has a statement running"


def test_what_a_heavy_tenant_ran_before_counts_less_and_less() -> None:
    clock = ManualClock()
    use = RecentUse(clock)
    for _ in range(4):
        use.started(1)
    clock.advance(5)
    for _ in range(4):
        use.ended(1)
    use.started(2)
    assert use.is_heavy(1)
    clock.advance(REMEMBERED_SECONDS - 1)
    assert not use.is_heavy(1)


def test_a_tenant_that_was_idle_too_long_is_not_heavy_beside_one_other() -> None:
    clock = ManualClock()
    use = RecentUse(clock)
    use.started(1)
    use.ended(1)
    use.started(2)
    clock.advance(REMEMBERED_SECONDS + 1)
    assert not use.is_heavy(1)
