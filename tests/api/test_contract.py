"""The running API does what its OpenAPI document says, also when it is asked for nonsense."""

from typing import Any, Final

import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.running_stack import Stack
from tests.tenants import new_tenant

EXAMPLES: Final = 15
"""Of each operation."""

CHECKS: Final = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]


def test_every_answer_is_documented(stack: Stack) -> None:
    keys = new_tenant(stack, "contract")
    # A tail has no end that could be waited for; tests/api/test_tail.py follows it.
    document = schemathesis.openapi.from_url(f"{stack.api_url}/openapi.json").exclude(path="/api/v1/logs/tail")
    asked = 0
    for found in document.get_all_operations():
        assert isinstance(found, Ok)
        operation = found.ok()

        @settings(max_examples=EXAMPLES, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
        @given(case=operation.as_strategy())
        def ask(case: Any) -> None:
            case.call_and_validate(headers={"Authorization": f"Bearer {keys.query}"}, checks=CHECKS, timeout=60)

        ask()
        asked += 1

    assert asked >= 9
