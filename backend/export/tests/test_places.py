"""Tests of the limits on exports that run at the same time."""

from contextlib import ExitStack
from dataclasses import replace

import pytest

from backend.answers.resources import Resources
from backend.export.service import ExportService
from backend.export.tests.test_broken_off import TENANT
from backend.store.scroll import ScrollReader
from backend.store.tests.fake_log_store import FakeLogStore
from kit.clock import SystemClock
from kit.errors import RateLimited
from kit.settings import Settings


def test_the_last_places_are_for_tenants_without_an_export() -> None:
    settings = Settings(export_max=8, export_max_per_tenant=4)
    service = ExportService(
        settings, ScrollReader(FakeLogStore([])), SystemClock(), Resources.of(settings, SystemClock())
    )
    with ExitStack() as exports:
        for tenant_id, allowed in ((1, 4), (2, 2), (3, 1), (4, 1)):
            tenant = replace(TENANT, id=tenant_id)
            for _ in range(allowed):
                exports.enter_context(service._counted(tenant))
            with pytest.raises(RateLimited, match=r"wait for one (of this tenant's exports )?to end"):
                exports.enter_context(service._counted(tenant))
        with pytest.raises(RateLimited, match="at most 8 exports, and all of them are running: wait for one to end"):
            exports.enter_context(service._counted(replace(TENANT, id=5)))
