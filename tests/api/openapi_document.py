"""The OpenAPI document of a running API, and the checks of an answer against it."""

from typing import Final

import schemathesis
from schemathesis.checks import not_a_server_error
from schemathesis.schemas import BaseSchema
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.running_stack import Stack

CHECKS: Final = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
TAIL: Final = "/api/v1/logs/tail"


def document(stack: Stack) -> BaseSchema:
    """Returns the OpenAPI document that the running API serves."""
    return schemathesis.openapi.from_url(f"{stack.api_url}/openapi.json")
