"""Tests which rules can be saved, what a change resets, and that tenants see only their own rules."""

from pathlib import Path
from typing import Any

import pytest

from backend.alerts.channels import Channel, ChannelKind
from backend.alerts.content import Comparison, Condition
from backend.alerts.tests.world import NOW, World, content, run
from backend.alerts.transitions import State
from kit.errors import Conflict, InvalidRequest, NotFound, RevisionConflict

ABSENT = Condition("count()", Comparison.no_data, None)


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"name": " x"}, "name"),
        ({"query": "error"}, "stats"),
        ({"query": "x" * 10_001}, "8,192"),
        ({"query": "| stats count() by time(5m)"}, "time"),
        ({"query": "| stats count() by a | limit 101"}, "limit"),
        ({"query": "| stats p95(ms)"}, "condition.column"),
        ({"interval_seconds": 59}, "interval_seconds"),
        ({"range_seconds": 0}, "range_seconds"),
        ({"condition": ABSENT}, "no_data"),
        ({"condition": Condition("count()", Comparison.above, None)}, "threshold"),
        ({"condition": Condition("count()", Comparison.above, float("nan"))}, "threshold"),
        ({"labels": {"": "x"}}, "labels"),
        ({"channels": (Channel(ChannelKind.webhook, "ftp://example.com/"),)}, "channels.url"),
        ({"channels": (Channel(ChannelKind.webhook, "https://user:word@example.com/"),)}, "user name"),
        ({"channels": (Channel(ChannelKind.webhook, "https://a.example/", (("Host", "b"),)),)}, "channels.headers"),
        ({"channels": (Channel(ChannelKind.webhook, "https://a.example/", (("X", "a\r\nb"),)),)}, "channels.headers"),
        ({"channels": (Channel(ChannelKind.email, recipients=("a@example.com",)),)}, "LOGSIEVE_SMTP_HOST"),
        ({"channels": (Channel(ChannelKind.webhook, "https://a.example/"),) * 6}, "channels"),
    ],
)
def test_rules_that_cannot_be_evaluated_are_refused(control_home: Path, changed: dict[str, Any], named: str) -> None:
    async def use(world: World) -> None:
        with pytest.raises(InvalidRequest, match=named):
            await world.service.create(world.acme, content(**changed))

    run(control_home, None, use)


def test_rules_belong_to_their_tenant_and_their_names_to_one_rule(tmp_path: Path, control_url: str) -> None:
    async def use(world: World) -> None:
        service, acme, other = world.service, world.acme, world.other
        rule = await service.create(acme, content())
        with pytest.raises(Conflict):
            await service.create(acme, content())
        await service.create(other, content())
        with pytest.raises(RevisionConflict):
            await service.change(acme, rule.id, content(), 2, keeps_channels=True)
        for foreign in (
            service.status(other.tenant.id, rule.id),
            service.history(other.tenant.id, rule.id),
            service.mute(other, rule.id, None),
            service.test(other, rule.id),
            service.delete(other, rule.id, None),
            service.change(other, rule.id, content(), 1, keeps_channels=True),
        ):
            with pytest.raises(NotFound):
                await foreign

    run(tmp_path, control_url, use)


def test_a_changed_rule_was_not_evaluated_yet(tmp_path: Path, control_url: str) -> None:
    async def use(world: World) -> None:
        service, acme = world.service, world.acme
        rule = await service.create(acme, content())
        await world.minute({("web",): 6.0})
        muted = await service.mute(acme, rule.id, None)
        assert (muted.state, muted.evaluated_at_ns) == (State.firing, NOW + 60 * 10**9)
        changed = await service.change(acme, rule.id, content(for_seconds=60), 2, keeps_channels=True)
        assert (changed.state, changed.evaluated_at_ns) == (State.ok, None)
        await world.minute({("web",): 6.0})
        stored = (await service.status(acme.tenant.id, rule.id)).rule
        assert (stored.state, stored.evaluated_at_ns) == (State.pending, NOW + 120 * 10**9)

    run(tmp_path, control_url, use)
