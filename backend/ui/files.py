"""Serves the built web UI: assets with a long lifetime in caches, and one page for every other path.

The page reads its state from the URL.
"""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from mimetypes import guess_type
from pathlib import Path
from types import MappingProxyType
from typing import Final, TypeAlias

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Match, Route
from starlette.types import Scope

from backend.answers.paced_response import PacedResponse
from kit.errors import NotFound
from kit.server.compress import accepted

_HEADERS: Final = {
    # Chart and editor set inline styles, so these are allowed. Inline scripts are not.
    "Content-Security-Policy": (
        "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self';"
        " frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
}

_SUFFIXES: Final[Mapping[str, str]] = MappingProxyType({"br": ".br", "gzip": ".gz"})
"""Content-Encodings of the build in order of preference, and the suffix of their files
(frontend/build/precompressed.ts)."""


_PIECE_BYTES: Final = 64 * 2**10
"""Largest piece in which a file is sent, in bytes."""

MAX_PATH_CHARACTERS: Final = 512
"""Largest length of a path that is looked up among the files. The longest URL has 64 KiB, and looking up its 30,000
folders takes 0.2 s, in which no other request is answered."""

_Contents: TypeAlias = dict[Path, tuple[str, bytes]]
"""Content of each file that was sent, with its tag. All answers share it, because a client without a key can leave any
number of them unread."""


def ui_route(ui_dir: Path) -> Route:
    """Returns the last route, which takes every path outside of /api/ that no other route took."""
    root = ui_dir.resolve()
    contents: _Contents = {}

    async def serve(request: Request) -> Response:
        path: str = request.path_params["path"]
        page = root / "index.html"
        if not page.is_file():
            return PlainTextResponse("The web UI is not built: run `make up`, or set LOGSIEVE_UI_DIR.", 404)
        if file := _file(root, path):
            # The build puts a hash of the content into the names of files below assets/.
            fixed = file.is_relative_to(root / "assets")
            caching = "public, max-age=31536000, immutable" if fixed else "no-cache"
            return await _answer(request, file, caching, contents)
        if path.startswith("assets/"):
            raise NotFound("no such file; the web UI is at /")
        return await _answer(request, page, "no-cache", contents)

    return _PageRoute("/{path:path}", serve, methods=["GET"])


class _PageRoute(Route):
    """Route that matches no path of the API. Such a path without a route is answered 404 for every method."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Returns the kind of match, and what the match adds to the scope."""
        return (Match.NONE, {}) if scope["path"].startswith("/api/") else super().matches(scope)


async def _answer(request: Request, file: Path, caching: str, contents: _Contents) -> Response:
    """Returns the file in the best encoding that the client accepts, or 304 if the client has this version."""
    encoding = accepted(request.headers.get("accept-encoding", ""), _encodings(file))
    sent = file if encoding is None else _compressed(file, encoding)
    status = sent.stat()
    tag = f'"{status.st_mtime_ns:x}-{status.st_size:x}-{encoding or "identity"}"'
    headers = _HEADERS | {"Cache-Control": caching, "ETag": tag, "Vary": "Accept-Encoding"}
    if tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    if encoding is not None:
        headers["Content-Encoding"] = encoding
    kind = guess_type(file.name)[0] or "application/octet-stream"
    known, content = contents.get(sent, ("", b""))
    if known != tag:
        content = await asyncio.to_thread(sent.read_bytes)
        contents[sent] = tag, content
    if len(content) <= _PIECE_BYTES:
        return Response(content, headers=headers, media_type=kind)
    return PacedResponse(_pieces(content), kind, headers | {"Content-Length": str(len(content))})


async def _pieces(content: bytes) -> AsyncGenerator[bytes]:
    for first in range(0, len(content), _PIECE_BYTES):
        yield content[first : first + _PIECE_BYTES]


def _encodings(file: Path) -> list[str]:
    """Returns the encodings in which the build wrote the file."""
    return [encoding for encoding in _SUFFIXES if _compressed(file, encoding).is_file()]


def _compressed(file: Path, encoding: str) -> Path:
    return file.with_name(file.name + _SUFFIXES[encoding])


def _file(root: Path, path: str) -> Path | None:
    """Returns the file below `root` that the path names, or None."""
    if len(path) > MAX_PATH_CHARACTERS:
        return None
    try:
        file = (root / path).resolve()
        return file if file.is_relative_to(root) and file.is_file() else None
    except (OSError, ValueError):
        # No file can have such a name: it is too long or has a NUL.
        return None
