"""Tests that the running API keeps its OpenAPI document for random requests, including invalid ones."""

from typing import Any, Final

import httpx2
from hypothesis import HealthCheck, given, settings
from schemathesis.core import NotSet
from schemathesis.core.result import Ok
from schemathesis.schemas import BaseSchema

from kit.tls import trusted
from tests.api.openapi_document import CHECKS, TAIL, document
from tests.api.tail_client import TailClient
from tests.chance import repetitions
from tests.running_stack import Stack
from tests.tenants import new_tenant, operator_key

EXAMPLES: Final = repetitions(50)
"""Number of random requests for each operation."""

HOSTILE: Final = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))


def send_all(schema: BaseSchema, key: str, **headers: str) -> int:
    """Requests each operation with random parameters and bodies, and checks the answers.

    Returns the number of operations.
    """
    given_headers = {"Authorization": f"Bearer {key}"} | headers
    requested = 0
    for found in schema.get_all_operations():
        assert isinstance(found, Ok)
        operation = found.ok()

        @HOSTILE
        @given(case=operation.as_strategy())
        def send(case: Any) -> None:
            case.call_and_validate(headers=given_headers, checks=CHECKS, timeout=60)

        send()
        requested += 1
    return requested


def test_every_answer_is_documented(stack: Stack) -> None:
    keys = new_tenant(stack, "contract")
    requested = send_all(document(stack).exclude(path=TAIL).exclude(path_regex="/admin/"), keys.query)
    assert requested >= 11


def test_every_answer_to_an_admin_key_is_documented(stack: Stack) -> None:
    schema = document(stack).include(path_regex="/admin/")
    assert send_all(schema, new_tenant(stack, "contract-admin").admin) >= 8
    assert send_all(schema, operator_key(stack)) >= 8


def test_every_answer_in_lines_is_documented(stack: Stack) -> None:
    keys = new_tenant(stack, "contract-lines")
    found = document(stack).include(path="/api/v1/logs/search")
    assert send_all(found, keys.query, Accept="application/x-ndjson") == 2


def test_every_beginning_of_a_tail_is_documented(stack: Stack) -> None:
    """Tests only the status, content type and first event of a tail, because a tail has no end."""
    keys = new_tenant(stack, "contract-tail")
    requested = set()
    for found in document(stack).include(path=TAIL).get_all_operations():
        assert isinstance(found, Ok)
        requested.add(send_tail(stack, keys.query, found.ok()))
    assert requested == {"GET", "POST"}


def send_tail(stack: Stack, key: str, operation: Any) -> str:
    """Opens tails with random parameters and checks how each begins. Returns the operation's HTTP method."""
    documented, method = operation.definition.raw["responses"], operation.method.upper()
    seen: set[int] = set()

    @HOSTILE
    @given(case=operation.as_strategy())
    def send(case: Any) -> None:
        headers = dict(case.headers or {}) | {"Authorization": f"Bearer {key}"}
        body = {} if isinstance(case.body, NotSet) else {"json": case.body}
        with httpx2.stream(
            method,
            f"{stack.api_url}/logs/tail",
            params=case.query,
            headers=headers,
            timeout=30,
            **body,
            verify=trusted(),
        ) as answer:
            assert str(answer.status_code) in documented
            assert answer.headers["content-type"].split(";")[0] in documented[str(answer.status_code)]["content"]
            seen.add(answer.status_code)
            if answer.status_code == 200:
                assert TailClient(answer).next().name == "open"

    send()
    assert seen
    return str(method)
