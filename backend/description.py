"""Serves the OpenAPI document. It is written once, because no key is needed to request it."""

from collections.abc import Callable
from typing import Any, Final

import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

PATH: Final = "/api/v1/openapi.json"


def description_route(document: Callable[[], dict[str, Any]]) -> Route:
    """Returns the route of the document that `document` returns."""
    written: list[bytes] = []

    async def describe(_: Request) -> Response:
        if not written:
            written.append(orjson.dumps(document()))
        return Response(written[0], media_type="application/json")

    return Route(PATH, describe, include_in_schema=False)
