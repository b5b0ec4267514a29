"""Serves the OpenAPI document. It is written and compressed once, because no key is needed to request it."""

import asyncio
from collections.abc import Callable
from typing import Any, Final

import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from kit.server.compress import ENCODINGS, accepted

PATH: Final = "/api/v1/openapi.json"


def description_route(document: Callable[[], dict[str, Any]]) -> Route:
    """Returns the route of the document that `document` returns."""
    written: dict[str | None, bytes] = {}
    """The document by its encoding; None for the document itself."""

    async def describe(request: Request) -> Response:
        if not written:
            written[None] = orjson.dumps(document())
        encoding = accepted(request.headers.get("accept-encoding", ""))
        if encoding is None:
            return Response(written[None], media_type="application/json")
        if encoding not in written:
            written[encoding] = await asyncio.to_thread(ENCODINGS[encoding], written[None])
        headers = {"Content-Encoding": encoding, "Vary": "Accept-Encoding"}
        return Response(written[encoding], headers=headers, media_type="application/json")

    return Route(PATH, describe, include_in_schema=False)
