"""Tests of attribute rules on both databases, up to the copy that receivers use."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import pytest
from sqlalchemy import insert

from backend.policies.recommended import RECOMMENDED
from backend.policies.repository import RuleInfo
from backend.policies.service import MAX_ATTRIBUTE_RULES, PolicyService, RuleChange, checked_pattern
from backend.tenants.keys import KeyService
from backend.tenants.service import TenantService
from kit.clock import ManualClock
from kit.errors import InvalidRequest, NotFound
from kit.settings import Settings
from schema.attribute_rules import NAME_CHARACTERS, Action, Rule
from schema.control.database import opened
from schema.control.directory import Directory
from schema.control.models import AttributeRule, Purpose

Result = TypeVar("Result")
NOW = 1_790_000_000_000_000_000


@pytest.fixture
def settings(tmp_path: Path, control_url: str) -> Settings:
    """Returns the settings of a control plane with tenant acme."""
    settings = Settings(home=tmp_path, control_url=control_url)

    async def create() -> None:
        async with opened(settings.control_plane_url) as engine:
            await TenantService(engine, ManualClock(NOW)).create_tenant("acme", 7, 4096)

    asyncio.run(create())
    return settings


def run(settings: Settings, use: Callable[[PolicyService], Awaitable[Result]]) -> Result:
    async def body() -> Result:
        async with opened(settings.control_plane_url) as engine:
            return await use(PolicyService(engine, ManualClock(NOW)))

    return asyncio.run(body())


def test_a_rule_is_added_changed_listed_and_removed(settings: Settings) -> None:
    async def life_of_a_rule(service: PolicyService) -> None:
        assert await service.add(None, "Authorization", False, Action.drop) is RuleChange.added
        assert await service.add(None, "authorization", False, Action.mask) is RuleChange.changed
        assert await service.add(None, "AUTHORIZATION", False, Action.mask) is RuleChange.unchanged
        assert await service.add("acme", "app.internal.", True, Action.drop) is RuleChange.added
        installation = RuleInfo(None, "authorization", False, "mask", NOW)
        own = RuleInfo("acme", "app.internal.", True, "drop", NOW)
        assert await service.rules(None) == await service.rules("acme") == [installation, own]

        with pytest.raises(NotFound, match="no rule on the prefix 'authorization'"):
            await service.remove(None, "authorization", True)
        with pytest.raises(NotFound, match="tenant 'acme' has no rule on the name 'authorization'"):
            await service.remove("acme", "authorization", False)
        await service.remove(None, "Authorization", False)
        assert await service.rules(None) == [own]

    run(settings, life_of_a_rule)


def test_a_tenant_does_not_see_anothers_rules(settings: Settings) -> None:
    async def two_tenants(service: PolicyService) -> list[RuleInfo]:
        await TenantService(service._engine, ManualClock(NOW)).create_tenant("other", 7, 4096)
        await service.add("other", "x", False, Action.drop)
        return await service.rules("acme")

    assert run(settings, two_tenants) == []


def test_receivers_get_the_rules_with_the_tenant(settings: Settings) -> None:
    async def refreshes(service: PolicyService) -> None:
        key = await KeyService(service._engine, ManualClock(NOW)).create_key("acme", Purpose.ingest, "")
        directory = Directory(settings.control_plane_url, 1, ManualClock(NOW))
        await directory.start()
        before = directory.grant(key.text).tenant.attribute_rules
        await directory.refresh()
        assert directory.grant(key.text).tenant.attribute_rules is before

        await service.add(None, "a", False, Action.drop)
        await service.add("acme", "B", True, Action.mask)
        await directory.refresh()
        after = directory.grant(key.text).tenant.attribute_rules
        assert after.installation == (Rule("a", False, Action.drop),)
        assert after.own == (Rule("b", True, Action.mask),)
        await directory.refresh()
        assert directory.grant(key.text).tenant.attribute_rules is after
        await directory.stop()

    run(settings, refreshes)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("", "the name is empty"),
        ("x" * (NAME_CHARACTERS + 1), "this one has 257"),
        ("ß" * 129, "this one has 258"),
        (" authorization", "begins or ends with a space"),
        ("a\nb", "invisible"),
        ("http.*", "no wildcards"),
    ],
)
@pytest.mark.parametrize("is_prefix", [False, True])
def test_what_can_match_nothing_or_everything_is_refused(
    settings: Settings, name: str, reason: str, is_prefix: bool
) -> None:
    with pytest.raises(InvalidRequest, match=reason):
        run(settings, lambda service: service.add(None, name, is_prefix, Action.drop))
    assert run(settings, lambda service: service.rules(None)) == []


def test_there_are_only_so_many_rules(settings: Settings) -> None:
    async def fill(service: PolicyService) -> None:
        missing = MAX_ATTRIBUTE_RULES - await service.add_recommended(None)
        async with service._engine.begin() as connection:
            row = {"is_prefix": False, "action": "drop", "created_at_ns": 0}
            names = [{"pattern": f"name-{number}", **row} for number in range(missing)]
            await connection.execute(insert(AttributeRule), names)
        with pytest.raises(InvalidRequest, match=str(MAX_ATTRIBUTE_RULES)):
            await service.add(None, "one-more", False, Action.drop)
        assert await service.add(None, "name-1", False, Action.mask) is RuleChange.changed
        assert await service.add("acme", "one-more", False, Action.drop) is RuleChange.added

    run(settings, fill)


def test_recommended_rules_leave_those_that_are_there(settings: Settings) -> None:
    async def twice(service: PolicyService) -> tuple[int, int, list[RuleInfo]]:
        await service.add("acme", "password", False, Action.drop)
        return await service.add_recommended("acme"), await service.add_recommended("acme"), await service.rules("acme")

    first, second, rules = run(settings, twice)
    assert (first, second) == (len(RECOMMENDED) - 1, 0)
    assert {rule.action for rule in rules if rule.pattern == "password"} == {"drop"}
    assert {rule.tenant for rule in rules} == {"acme"}


def test_recommended_rules_could_be_added_by_hand() -> None:
    patterns = [rule.pattern for rule in RECOMMENDED]
    assert [checked_pattern(each) for each in patterns] == patterns
    assert len(set(patterns)) == len(patterns)
    assert {"authorization", "set-cookie", "http.request.header.x_api_key", "password"} <= set(patterns)


def test_an_unknown_tenant_is_not_found(settings: Settings) -> None:
    with pytest.raises(NotFound):
        run(settings, lambda service: service.rules("nobody"))
    with pytest.raises(NotFound):
        run(settings, lambda service: service.rules("a\0b"))
    with pytest.raises(NotFound):
        run(settings, lambda service: service.add("nobody", "x", False, Action.drop))
    with pytest.raises(NotFound):
        run(settings, lambda service: service.add_recommended("nobody"))
    with pytest.raises(NotFound):
        run(settings, lambda service: service.remove("nobody", "x", False))
