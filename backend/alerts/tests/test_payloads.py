"""Tests by which receivers of Alertmanager's webhooks tell groups of a rule apart."""

import json
from dataclasses import replace
from typing import Any

from backend.alerts.channels import ChannelKind
from backend.alerts.notices import NoticeKind
from backend.alerts.payloads import payload
from backend.alerts.tests.firing import FIRING


def keys(kind: NoticeKind, *group: str | None) -> tuple[str, str]:
    """Returns the key of the group and the fingerprint of the alert."""
    notice = replace(FIRING, kind=kind, group=group)
    body: dict[str, Any] = payload(ChannelKind.alertmanager, "id", notice)
    (alert,) = body["alerts"]
    return body["groupKey"], alert["fingerprint"]


def test_what_is_resolved_is_the_group_that_fired_and_no_other() -> None:
    cart, checkout = keys(NoticeKind.firing, "cart"), keys(NoticeKind.firing, "checkout")

    assert keys(NoticeKind.resolved, "cart") == cart
    assert not set(cart) & set(checkout)
    assert keys(NoticeKind.firing, "") != keys(NoticeKind.firing, None)
    assert not set(keys(NoticeKind.test)) & {*keys(NoticeKind.firing), *cart, *keys(NoticeKind.firing, "test")}


def test_a_value_that_json_cannot_hold_is_null() -> None:
    for value in (float("inf"), float("-inf"), float("nan")):
        body = payload(ChannelKind.webhook, "id", replace(FIRING, value=value))
        json.dumps(body, allow_nan=False)
        assert body["value"] is None
    assert payload(ChannelKind.webhook, "id", FIRING)["value"] == 6.0


def test_the_text_has_all_digits_of_whole_numbers() -> None:
    text = replace(FIRING, threshold=1_000_000.0, value=1_000_001.0).text
    assert text.endswith("count() is 1000001 (condition: > 1000000)")
    assert replace(FIRING, threshold=0.1, value=2 / 3).text.endswith("is 0.666667 (condition: > 0.1)")
    assert replace(FIRING, value=float("inf")).text.endswith("is inf (condition: > 5)")
    # SQLite returns a whole number as an int.
    assert replace(FIRING, threshold=5, value=6).text == FIRING.text
