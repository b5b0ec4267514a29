"""Tests that a new alert rule without a query or a condition is refused in the words of the command."""

from typing import Any

import httpx2
import pytest

from kit.errors import InvalidRequest
from stack.client.saved_alerts import save_alert


@pytest.mark.parametrize(
    ("members", "needed"),
    [
        ({}, "a query, such as 'error | stats count()' and a condition, such as --when 'count() > 5'"),
        ({"query": "| stats count()"}, "a condition, such as --when 'count() > 5'"),
    ],
)
def test_it_says_what_a_new_rule_needs(members: dict[str, Any], needed: str) -> None:
    transport = httpx2.MockTransport(lambda _: httpx2.Response(200, json={"alerts": []}))

    with httpx2.Client(base_url="http://api/", transport=transport) as client, pytest.raises(InvalidRequest) as refused:
        save_alert(client, "Errors", members)

    assert refused.value.detail == f"there is no alert rule 'Errors' yet, and a new one needs {needed}"
