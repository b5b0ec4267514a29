"""Serves the built web UI: assets for ever, every other path as the one page that reads its state from the URL."""

from pathlib import Path
from typing import Final

from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import Route

from kit.errors import NotFound

_HEADERS: Final = {
    # Styles may be inline: the chart and the editor set them; scripts may not.
    "Content-Security-Policy": (
        "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self';"
        " frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}


def ui_route(ui_dir: Path) -> Route:
    """The last route of the application: whatever no other route took. It raises NotFound for paths of the API."""
    root = ui_dir.resolve()

    async def serve(request: Request) -> Response:
        path: str = request.path_params["path"]
        if path.startswith("api/"):
            raise NotFound("there is nothing here")
        page = root / "index.html"
        if not page.is_file():
            return PlainTextResponse("The web UI is not built: run `make up`, or set LOGSIEVE_UI_DIR.", 404)
        if file := _file(root, path):
            # The build puts a hash of the content into the names below assets/.
            fixed = file.is_relative_to(root / "assets")
            caching = "public, max-age=31536000, immutable" if fixed else "no-cache"
            return FileResponse(file, headers=_HEADERS | {"Cache-Control": caching})
        if path.startswith("assets/"):
            raise NotFound("there is no such file")
        return FileResponse(page, headers=_HEADERS | {"Cache-Control": "no-cache"})

    return Route("/{path:path}", serve, methods=["GET"])


def _file(root: Path, path: str) -> Path | None:
    """The file below `root` that the path names, if there is one."""
    try:
        file = (root / path).resolve()
        return file if file.is_relative_to(root) and file.is_file() else None
    except (OSError, ValueError):
        # Names no file can have: too long, or with a NUL.
        return None
