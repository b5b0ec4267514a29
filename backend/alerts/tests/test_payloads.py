"""Tests by which receivers of Alertmanager's webhooks tell groups of a rule apart."""

from typing import Any

from backend.alerts.channels import ChannelKind
from backend.alerts.content import Comparison, Severity
from backend.alerts.notices import Notice, NoticeKind
from backend.alerts.payloads import payload


def keys(kind: NoticeKind, *group: str | None) -> tuple[str, str]:
    """Returns the key of the group and the fingerprint of the alert."""
    notice = Notice(
        kind=kind,
        rule_id="000000000001",
        rule="Errors",
        severity=Severity.critical,
        labels={},
        group=group,
        column="count()",
        comparison=Comparison.above,
        threshold=5.0,
        value=6.0,
        since_ns=0,
        at_ns=1,
    )
    body: dict[str, Any] = payload(ChannelKind.alertmanager, "id", notice)
    (alert,) = body["alerts"]
    return body["groupKey"], alert["fingerprint"]


def test_what_is_resolved_is_the_group_that_fired_and_no_other() -> None:
    cart, checkout = keys(NoticeKind.firing, "cart"), keys(NoticeKind.firing, "checkout")

    assert keys(NoticeKind.resolved, "cart") == cart
    assert not set(cart) & set(checkout)
    assert keys(NoticeKind.firing, "") != keys(NoticeKind.firing, None)
    assert not set(keys(NoticeKind.test)) & {*keys(NoticeKind.firing), *cart}
