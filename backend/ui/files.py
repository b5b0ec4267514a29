"""Serves the built web UI: assets for ever, every other path as the one page that reads its state from the URL."""

from pathlib import Path
from typing import Final

from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import Route

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
    """The last route of the application: whatever no other route took."""
    root = ui_dir.resolve()

    async def serve(request: Request) -> Response:
        page = root / "index.html"
        if not page.is_file():
            return PlainTextResponse("The web UI is not built: run `make up`, or set LOGSIEVE_UI_DIR.", 404)
        wanted = (root / request.path_params["path"]).resolve()
        if wanted.is_file() and wanted.is_relative_to(root):
            # The build puts a hash of the content into the names below assets/.
            fixed = wanted.is_relative_to(root / "assets")
            caching = "public, max-age=31536000, immutable" if fixed else "no-cache"
            return FileResponse(wanted, headers=_HEADERS | {"Cache-Control": caching})
        if request.path_params["path"].startswith(("api/", "assets/")):
            return PlainTextResponse("There is nothing here.", 404)
        return FileResponse(page, headers=_HEADERS | {"Cache-Control": "no-cache"})

    return Route("/{path:path}", serve, methods=["GET"])
