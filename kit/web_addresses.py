"""Types of settings that hold addresses of the web: URLs of servers, and origins of pages.

A wrong address would otherwise be noticed late: in a browser, where the request of a page fails without a reason, or
by logs and traces that do not arrive.
"""

import re
from typing import Annotated, Final
from urllib.parse import urlsplit

from pydantic import AfterValidator

_ENDPOINT: Final = re.compile(r"https?://\S+")
_ORIGIN: Final = re.compile(r"[a-z][a-z0-9+.-]*://[^\s/?#@A-Z]+")


def split_origins(text: str) -> tuple[str, ...]:
    """Returns the origins that a text has between its commas."""
    return tuple(origin.strip() for origin in text.split(",") if origin.strip())


def _base_url(text: str) -> str:
    try:
        parts = urlsplit(text)
        has_host = bool(parts.hostname) and parts.port != 0
    except ValueError:
        has_host = False
    if not has_host or parts.scheme not in ("http", "https") or parts.path not in ("", "/") or parts.query:
        raise ValueError(
            f"{text!r} is not a URL with http or https and without a path: give one such as"
            " https://otlp.example.com:4318"
        )
    return text


def _endpoint(text: str) -> str:
    if not _ENDPOINT.fullmatch(text):
        # The text is not shown, because a URL may have a password.
        raise ValueError(
            "it must begin with http:// or https:// and have no space, such as http://collector:4318/v1/logs"
        )
    return text


def _origins(text: str) -> str:
    for origin in split_origins(text):
        if origin not in ("*", "null") and not _ORIGIN.fullmatch(origin):
            raise ValueError(
                f"{origin!r} is not an origin that browsers send: write it in lower case and without a path, such as"
                " https://shop.example.com, or * for any"
            )
    return text


BaseUrl = Annotated[str, AfterValidator(_base_url)]
"""URL of a server, with http or https, a host and no path."""

EndpointUrl = Annotated[str, AfterValidator(_endpoint)]
"""URL to which Logsieve sends its own logs or traces."""

Origins = Annotated[str, AfterValidator(_origins)]
"""Origins of web pages as browsers send them (RFC 6454, 6.1), separated by commas; `*` is any."""
