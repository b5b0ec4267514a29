"""Fixtures for how long a choice of replicas waits for another one."""

import pytest

from backend.store.replicas import choose


@pytest.fixture
def quick_catch_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shortens the wait until a replica has caught up, and the pauses between two looks at it."""
    monkeypatch.setattr(choose, "CATCH_UP_SECONDS", 0.05)
    monkeypatch.setattr(choose, "POLL_SECONDS", 0.001)


@pytest.fixture
def patient_catch_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets the wait until a replica has caught up last longer than any test, without pauses between two looks at it."""
    monkeypatch.setattr(choose, "CATCH_UP_SECONDS", 30.0)
    monkeypatch.setattr(choose, "POLL_SECONDS", 0.0)
