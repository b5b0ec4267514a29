"""Refuses URLs with unknown or repeated parameters, which would otherwise be ignored."""

from collections import deque
from typing import Final

from fastapi import Request
from fastapi.routing import APIRoute
from pydantic import BaseModel

from kit.errors import InvalidRequest

NAMED: Final = 10
"""Largest number of unknown names that an error lists."""


async def check_address(request: Request) -> None:
    """Raises InvalidRequest if the URL has parameters that the route does not know, or repeats one.

    The error names the wrong and the allowed parameters.
    """
    seen: set[str] = set()
    for name, _ in request.query_params.multi_items():
        if name in seen:
            raise InvalidRequest(f"the parameter `{name}` is given more than once: give it once")
        seen.add(name)
    route = request.scope.get("route")
    known = query_names(route) if seen and isinstance(route, APIRoute) else []
    if unknown := sorted(seen.difference(known)):
        text = unknown_names("parameter", unknown, known)
        has_body = not known and isinstance(route, APIRoute) and route.body_field is not None
        raise InvalidRequest(f"{text}; send them as members of the JSON body" if has_body else text)


def query_names(route: APIRoute) -> list[str]:
    """Returns the names of the route's query parameters, with the fields of a model one by one."""
    names: list[str] = []
    left = deque([route.dependant])
    while left:
        dependant = left.popleft()
        left.extend(dependant.dependencies)
        for field in dependant.query_params:
            kind = field.field_info.annotation
            if isinstance(kind, type) and issubclass(kind, BaseModel):
                names += kind.model_fields
            else:
                names.append(field.alias)
    return names


def unknown_names(kind: str, unknown: list[str], known: list[str]) -> str:
    """Returns the error text for names that the route does not know."""
    # A name in a JSON body may have halves of surrogate pairs, which an answer cannot contain.
    printable = [name[:100].encode(errors="backslashreplace").decode() for name in unknown[:NAMED]]
    listed = ", ".join(f"`{name}`" for name in printable)
    allowed = ", ".join(f"`{name}`" for name in known)
    return f"unknown {kind} {listed}: " + (f"allowed here are {allowed}" if known else f"no {kind}s are allowed here")
