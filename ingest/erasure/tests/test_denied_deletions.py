"""Tests runs whose dead letters cannot be erased."""

import asyncio
from collections import Counter
from contextlib import nullcontext
from pathlib import Path
from typing import Final

import pytest

from ingest.erasure import owner, stores
from ingest.erasure.dead_letters import DeadLetterCounts
from ingest.erasure.owner import lease_name
from ingest.erasure.stores import DEAD_LETTERS
from ingest.tests.deleted_tenant import add_deleted_tenant
from kit.clock import ManualClock
from kit.errors import Unavailable
from kit.settings import Settings
from schema.control.database import opened
from schema.control.erasures import Erasure, Phase, Progress, read_erasures, save_progress
from schema.control.lease import read_lease

DENIED: Final = "dead letters cannot be erased: Topic authorization failed"
NOT_COPIED: Final = "dead letters of other tenants cannot be copied: Broker: Message size too large"
NOW_NS: Final = 1_800_000_000 * 10**9


class Topic:
    """Topic with two dead letters of tenant 1. Their erasure fails with `error`, unless it is empty."""

    def __init__(self) -> None:
        self.letters = Counter({1: 2})
        self.error = ""
        self.denies_deletions = False
        self.readings = 0

    def count(self, _settings: Settings) -> DeadLetterCounts:
        self.readings += 1
        return DeadLetterCounts(self.letters, 0, {0: 0}, {0: 2})

    def require_deletions(self, _settings: Settings) -> None:
        if self.denies_deletions:
            raise Unavailable(self.error)

    def erase(self, *_: object) -> None:
        if self.error:
            raise Unavailable(self.error)
        self.letters = Counter()


@pytest.fixture
def topic(monkeypatch: pytest.MonkeyPatch) -> Topic:
    made = Topic()
    monkeypatch.setattr(stores, "count_dead_letters", made.count)
    monkeypatch.setattr(stores, "erase_dead_letters", made.erase)
    monkeypatch.setattr(stores, "require_deletions", made.require_deletions)
    return made


def test_the_topic_is_not_read_again_while_its_deletions_are_denied(topic: Topic) -> None:
    topic.error = DENIED
    topic.denies_deletions = True
    clean = Progress(phase=Phase.erased)
    reached, failure = stores._without_dead_letters(Settings(), {1: clean, 2: clean})
    assert (reached[1].phase, reached[1].detail, reached[1].found) == (Phase.removing, DENIED, {DEAD_LETTERS: 2})
    assert (reached[2].phase, str(failure)) == (Phase.erased, DENIED)
    assert topic.readings == 1
    again, failure = stores._without_dead_letters(Settings(), {1: reached[1]})
    assert (again, str(failure), topic.readings) == ({1: reached[1]}, DENIED, 1)
    topic.error, topic.denies_deletions = "", False
    reached, failure = stores._without_dead_letters(Settings(), {1: reached[1]})
    assert (reached[1].phase, reached[1].left, failure) == (Phase.erased, {DEAD_LETTERS: 0}, None)


@pytest.mark.parametrize("denies_deletions", [False, True])
def test_a_failed_run_releases_its_lease_and_saves_the_progress_of_all_tenants(
    denies_deletions: bool, topic: Topic, control_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tests a first run, which finds the dead letters, and one after it. Tenant 2 has no dead letters."""
    topic.error, topic.denies_deletions = NOT_COPIED, denies_deletions
    settings = Settings(home=control_home)
    monkeypatch.setattr(owner, "connect_shards", lambda _: nullcontext(()))
    clean = Progress(phase=Phase.deleting)

    async def run_twice() -> dict[int, tuple[Phase, str]]:
        async with opened(settings.control_plane_url) as engine:
            async with engine.begin() as connection:
                for tenant in (1, 2):
                    await add_deleted_tenant(connection, tenant, f"tenant-{tenant}")
                    erasure = Erasure(tenant, f"tenant-{tenant}", 2, settings.consumer_group, None, clean, None)
                    await save_progress(connection, erasure, clean, None)
            for holder in ("one loader", "another loader"):
                with pytest.raises(Unavailable, match=NOT_COPIED):
                    await owner.Owner(settings, ManualClock(NOW_NS), holder).run_once(engine)
                assert await read_lease(engine, lease_name(settings.consumer_group)) is None
            async with engine.connect() as connection:
                saved = await read_erasures(connection, settings.consumer_group)
        return {each.tenant_id: (each.progress.phase, each.progress.detail) for each in saved}

    assert asyncio.run(run_twice()) == {1: (Phase.removing, NOT_COPIED), 2: (Phase.erased, "")}
