"""Fixture with which a choice of replicas that waits for another one gives up soon."""

import pytest

from backend.store.replicas import choose


@pytest.fixture
def quick_catch_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shortens the wait until a replica has caught up, and the pauses between two looks at it."""
    monkeypatch.setattr(choose, "CATCH_UP_SECONDS", 0.05)
    monkeypatch.setattr(choose, "POLL_SECONDS", 0.001)
