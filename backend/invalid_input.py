"""Explains an invalid parameter or body from pydantic's first error: the fault, what is allowed, and what to do."""

from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import Request
from fastapi.routing import APIRoute
from pydantic import BaseModel

from backend.unknown_parameters import unknown_names

_EXAMPLE = '`{"query": "error"}`'


def invalid_input(request: Request, findings: Sequence[Mapping[str, Any]]) -> str:
    """Returns the error text. `findings` is pydantic's list of errors, each with the path of names to the value."""
    first = findings[0]
    path, kind = [str(name) for name in first["loc"]], first["type"]
    is_body = path[0] == "body"
    if kind == "extra_forbidden":
        unknown = [str(each["loc"][-1]) for each in findings if each["type"] == kind]
        return unknown_names("member", unknown, _members(request))
    if kind == "json_invalid":
        return f"the body is not valid JSON: {first['ctx']['error'].lower()} at character {path[-1]}"
    if is_body and len(path) == 1:
        given = "there is no body" if kind == "missing" else "the body is not a JSON object"
        members = _members(request)
        wanted = f"such as {_EXAMPLE}" if "query" in members else f"of {', '.join(f'`{name}`' for name in members)}"
        return f"{given}: send a JSON object with `Content-Type: application/json`, {wanted}"
    # For a value that may have several types, pydantic ends the path with the name of one type.
    name = ".".join(path[1:]) if is_body else path[1]
    if kind == "missing":
        return f"`{name}` is missing: give it a value"
    rule = first["msg"][:1].lower() + first["msg"][1:]
    given = repr(first.get("input"))
    return f"`{name}` is {given if len(given) <= 100 else given[:100] + '…'}: {rule}"


def _members(request: Request) -> list[str]:
    """Returns the names of the top-level members that a body of the request's route may have."""
    route = request.scope.get("route")
    field = route.body_field if isinstance(route, APIRoute) else None
    model = None if field is None else field.field_info.annotation
    return list(model.model_fields) if isinstance(model, type) and issubclass(model, BaseModel) else []
