"""Explains an invalid parameter or body from pydantic's first error: the fault, what is allowed, and what to do."""

import sys
from collections.abc import Iterable, Mapping, Sequence
from types import UnionType
from typing import Any, Union, get_args, get_origin

from fastapi import Request
from fastapi.routing import APIRoute
from pydantic import BaseModel

from backend.unknown_parameters import unknown_names

_EXAMPLE = '`{"query": "error"}`'


def invalid_input(request: Request, findings: Sequence[Mapping[str, Any]]) -> str:
    """Returns the error text. `findings` is pydantic's list of errors, each with the path of names to the value."""
    first = findings[0]
    path, kind = first["loc"], first["type"]
    is_body, body = path[0] == "body", _body(request)
    if kind == "extra_forbidden":
        parent = path[1:-1]
        unknown = [each["loc"] for each in findings if each["type"] == kind and each["loc"][1:-1] == parent]
        return unknown_names("member", [_dotted(each[1:]) for each in unknown], _members(_part(body, parent)[1]))
    if kind == "json_invalid":
        return f"the body is not valid JSON: {first['ctx']['error'].lower()} at character {path[-1]}"
    if is_body and len(path) == 1:
        given = "there is no body" if kind == "missing" else "the body is not a JSON object"
        members = _members([body])
        wanted = f"such as {_EXAMPLE}" if "query" in members else f"of {', '.join(f'`{name}`' for name in members)}"
        return f"{given}: send a JSON object with `Content-Type: application/json`, {wanted}"
    known = _part(body, path[1:])[0] if is_body else path[1:2]
    name = _dotted(known)
    if kind == "missing":
        return f"`{name}` is missing: give it a value"
    # A value that may have several types has an error for each of them.
    rules = [_rule(each) for each in findings if each["loc"][: 1 + len(known)] == (path[0], *known)]
    given = repr(first.get("input"))
    return f"`{name}` is {given if len(given) <= 100 else given[:100] + '…'}: {', or '.join(rules)}"


def unreadable_body(error: BaseException | None) -> str | None:
    """Returns the error text for a body that Python's JSON decoder cannot read. `error` is the decoder's error; None is
    returned for an error of another kind."""
    if isinstance(error, UnicodeDecodeError):
        return f"the body is not valid {error.encoding.upper()} from byte {error.start} on: send JSON in UTF-8"
    if isinstance(error, RecursionError):
        return "the objects and lists of the body are nested too deeply: send the members that the API describes"
    if isinstance(error, ValueError):
        return f"the body has a number of more than {sys.get_int_max_str_digits():,} digits: send a shorter number"
    return None


def _rule(finding: Mapping[str, Any]) -> str:
    message: str = finding["msg"]
    return message[:1].lower() + message[1:]


def _dotted(path: Iterable[str | int]) -> str:
    return ".".join(map(str, path))


def _body(request: Request) -> Any:
    """Returns the type of the body of the request's route, or None if the route has none."""
    route = request.scope.get("route")
    field = route.body_field if isinstance(route, APIRoute) else None
    return None if field is None else field.field_info.annotation


def _part(body: Any, path: Sequence[str | int]) -> tuple[Sequence[str | int], list[Any]]:
    """Returns the steps of the path that lead to a part of the body, and the types that this part may have.

    If a value may have several types, pydantic ends the path with the name of one of them, which leads nowhere.
    """
    kinds = [body]
    for number, step in enumerate(path):
        inner = [each for kind in kinds for each in _inside(kind, step)]
        if not inner:
            return path[:number], kinds
        kinds = inner
    return path, kinds


def _inside(kind: Any, step: str | int) -> list[Any]:
    """Returns the types of a member of an object, or of an item of a list. Returns no type for a wrong step."""
    if get_origin(kind) in (list, dict):
        inner = get_args(kind)[-1]
    elif step in _members([kind]):
        inner = kind.model_fields[step].annotation
    else:
        return []
    return list(get_args(inner)) if get_origin(inner) in (Union, UnionType) else [inner]


def _members(kinds: list[Any]) -> list[str]:
    """Returns the names of the members of an object that has one of these types."""
    models = (kind for kind in kinds if isinstance(kind, type) and issubclass(kind, BaseModel))
    return [name for model in models for name in model.model_fields]
