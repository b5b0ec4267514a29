"""Refuses addresses that do not say what they seem to: unknown and repeated parameters, text that is no text."""

import re
from collections import deque
from typing import Final
from urllib.parse import unquote_to_bytes

from fastapi import Request
from fastapi.routing import APIRoute
from pydantic import BaseModel

from kit.errors import InvalidRequest

_BROKEN: Final = re.compile(rb"%(?![0-9A-Fa-f]{2}).{0,2}", re.DOTALL)


def check_address(request: Request) -> None:
    """A dependency of every route. Raises InvalidRequest, which names what is wrong and what the route takes."""
    _check_encoding(request.scope.get("raw_path") or b"")
    text: bytes = request.scope["query_string"]
    if not text:
        return
    _check_encoding(text)
    seen: set[str] = set()
    for pair in text.split(b"&"):
        name_text, _, value = pair.partition(b"=")
        if not pair:
            continue
        name = _decoded(name_text, "a parameter's name")
        if name in seen:
            raise InvalidRequest(f"the parameter `{name}` is given more than once: give it once")
        seen.add(name)
        _decoded(value, f"the parameter `{name}`")
    route = request.scope.get("route")
    known = query_names(route) if isinstance(route, APIRoute) else []
    if unknown := sorted(seen.difference(known)):
        raise InvalidRequest(unknown_names("parameter", unknown, known))


def query_names(route: APIRoute) -> list[str]:
    """The names of the route's parameters in the address, those of a model one by one."""
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
    """What to tell whoever sent names that nobody knows."""
    # A name in a body may hold halves of surrogate pairs, which no answer can.
    printable = [name[:100].encode(errors="backslashreplace").decode() for name in unknown[:10]]
    listed = ", ".join(f"`{name}`" for name in printable)
    allowed = ", ".join(f"`{name}`" for name in known)
    return f"unknown {kind} {listed}: " + (f"allowed here are {allowed}" if known else f"no {kind}s are allowed here")


def _check_encoding(text: bytes) -> None:
    if broken := _BROKEN.search(text):
        found = broken[0].decode(errors="replace")
        raise InvalidRequest(
            f"the address holds `{found}`, which is no percent-encoding: write a percent sign as %25, and any other "
            "byte as % and two hexadecimal digits"
        )


def _decoded(text: bytes, what: str) -> str:
    try:
        return unquote_to_bytes(text.replace(b"+", b" ")).decode()
    except UnicodeDecodeError as error:
        raise InvalidRequest(f"{what} is not UTF-8 after percent-decoding: encode text as UTF-8") from error
