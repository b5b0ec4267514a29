"""Serves the built web UI: assets with a long lifetime in caches, and one page for every other path.

The page reads its state from the URL.
"""

import asyncio
from mimetypes import guess_type
from pathlib import Path
from typing import Final

from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import Route

from backend.problems import no_such_endpoint
from kit.errors import NotFound
from kit.server.compress import SMALLEST, accepted

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

_TEXT_TYPES: Final = frozenset({".css", ".html", ".js", ".json", ".map", ".svg", ".txt"})
"""Suffixes of files worth compressing. Fonts are compressed already."""


def ui_route(ui_dir: Path) -> Route:
    """Returns the last route, which takes every path that no other route took.

    It raises NotFound for paths of the API.
    """
    root = ui_dir.resolve()
    compressed = _Compressed()

    async def serve(request: Request) -> Response:
        path: str = request.path_params["path"]
        if path.startswith("api/"):
            raise NotFound(no_such_endpoint(request.url.path))
        page = root / "index.html"
        if not page.is_file():
            return PlainTextResponse("The web UI is not built: run `make up`, or set LOGSIEVE_UI_DIR.", 404)
        if file := _file(root, path):
            # The build puts a hash of the content into the names of files below assets/.
            fixed = file.is_relative_to(root / "assets")
            caching = "public, max-age=31536000, immutable" if fixed else "no-cache"
            return await compressed.answer(request, file, caching)
        if path.startswith("assets/"):
            raise NotFound("no such file; the web UI is at /")
        return await compressed.answer(request, page, "no-cache")

    return Route("/{path:path}", serve, methods=["GET"])


class _Compressed:
    """Answers with files. Each is compressed once and kept until the file changes."""

    def __init__(self) -> None:
        self._bodies: dict[tuple[Path, str], tuple[float, bytes]] = {}

    async def answer(self, request: Request, file: Path, caching: str) -> Response:
        """Returns the file in the best encoding that the client accepts, or 304 if the client has this version."""
        encoding = accepted(request.headers.get("accept-encoding", "")) if file.suffix in _TEXT_TYPES else None
        status = file.stat()
        tag = f'"{status.st_mtime_ns:x}-{status.st_size:x}-{encoding or "identity"}"'
        headers = _HEADERS | {"Cache-Control": caching, "ETag": tag, "Vary": "Accept-Encoding"}
        if tag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        if encoding is None:
            return FileResponse(file, headers=headers)
        body = await asyncio.to_thread(self._body, file, encoding, status.st_mtime)
        kind = guess_type(file.name)[0] or "application/octet-stream"
        return Response(body, headers=headers | {"Content-Encoding": encoding}, media_type=kind)

    def _body(self, file: Path, encoding: str, changed: float) -> bytes:
        kept = self._bodies.get((file, encoding))
        if kept is not None and kept[0] == changed:
            return kept[1]
        body = SMALLEST[encoding](file.read_bytes())
        self._bodies[file, encoding] = (changed, body)
        return body


def _file(root: Path, path: str) -> Path | None:
    """Returns the file below `root` that the path names, or None."""
    try:
        file = (root / path).resolve()
        return file if file.is_relative_to(root) and file.is_file() else None
    except (OSError, ValueError):
        # No file can have such a name: it is too long or has a NUL.
        return None
