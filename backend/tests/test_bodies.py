"""Tests what a body may cost others: an invalid one has few errors, which are listed on the event loop, and one that
arrives slowly keeps its place on a full port only as one of its tenant."""

from collections.abc import Iterator
from typing import Any, get_args
from weakref import ref

import pytest
from fastapi.routing import APIRoute
from fastapi.testclient import TestClient
from pydantic import BaseModel, TypeAdapter, ValidationError
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from backend.app import ROUTES
from backend.bodies import BODY_BYTES, GuardBodies
from backend.language.limits import MAX_CHARACTERS
from backend.tests.test_access_log import GOOD, TENANT, WRONG, OneKey
from backend.unknown_parameters import NAMED
from kit.clock import ManualClock
from kit.server.connections import CONNECTION

ITEMS = 1000
JSON_ESCAPE_BYTES = len(r"\ud83e\udeb5")
"""Bytes of the longest escape of one character."""


def models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    """Yields the models of a type: itself if it is one, and those of its members and items."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
        for field in annotation.model_fields.values():
            yield from models_in(field.annotation)
    for part in get_args(annotation):
        yield from models_in(part)


BODIES = sorted(
    {
        model
        for module in ROUTES
        for route in module.router.routes
        if isinstance(route, APIRoute) and route.body_field is not None
        for model in models_in(route.body_field.field_info.annotation)
    },
    key=lambda model: model.__name__,
)
"""Models of the bodies that routes take, and of their parts."""


def errors_in(model: type[BaseModel], member: str, value: object) -> list[object]:
    """Returns the errors of the member if a body has this value for it."""
    with pytest.raises(ValidationError) as refused:
        TypeAdapter(model).validate_python({member: value})
    return [each for each in refused.value.errors() if each["loc"][0] == member]


@pytest.mark.parametrize("model", BODIES, ids=lambda model: model.__name__)
def test_a_list_of_invalid_items_has_one_error(model: type[BaseModel]) -> None:
    found = {name: len(errors_in(model, name, [object()] * ITEMS)) for name in model.model_fields}

    # A member that may have several types has one error for each.
    assert {name: number for name, number in found.items() if number > 5} == {}


@pytest.mark.parametrize("model", BODIES, ids=lambda model: model.__name__)
def test_an_object_of_invalid_members_has_one_error(model: type[BaseModel]) -> None:
    invalid = {str(number): object() for number in range(ITEMS)}
    found = {name: len(errors_in(model, name, invalid)) for name in model.model_fields}

    assert {name: number for name, number in found.items() if number > NAMED + 5} == {}


@pytest.mark.parametrize("model", BODIES, ids=lambda model: model.__name__)
def test_unknown_members_have_few_errors(model: type[BaseModel]) -> None:
    with pytest.raises(ValidationError) as refused:
        TypeAdapter(model).validate_python({f"unknown{number}": 1 for number in range(ITEMS)})

    found = [each["loc"] for each in refused.value.errors() if each["type"] == "extra_forbidden"]
    assert found == [(f"unknown{number}",) for number in range(NAMED)]


def test_the_largest_query_fits_into_a_body() -> None:
    assert MAX_CHARACTERS * JSON_ESCAPE_BYTES < 0.8 * BODY_BYTES


class Connection:
    """Connection of a request. Records the owners for which it was protected."""

    def __init__(self) -> None:
        self.owners: list[int] = []

    def protect(self, owner: int) -> None:
        self.owners.append(owner)

    def release(self) -> None:
        raise AssertionError("released")


@pytest.mark.parametrize(("headers", "status", "owners"), [(GOOD, 200, [TENANT.id]), (WRONG, 401, [])])
def test_a_body_keeps_its_place_as_one_of_the_tenant_of_its_key(
    headers: dict[str, str], status: int, owners: list[int]
) -> None:
    connection = Connection()
    app = GuardBodies(PlainTextResponse("read"), OneKey(ManualClock()))

    async def connected(scope: Scope, receive: Receive, send: Send) -> None:
        await app({**scope, "extensions": {CONNECTION: {"ref": ref(connection)}}}, receive, send)

    assert TestClient(connected).post("/", content=b"body", headers=headers).status_code == status
    assert connection.owners == owners
