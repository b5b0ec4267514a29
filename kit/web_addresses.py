"""Types of settings that hold addresses of the web: URLs of servers, and origins of pages.

A wrong address would otherwise be noticed late: in a browser, where the request of a page fails without a reason, or
by logs and traces that do not arrive.
"""

import re
from typing import Annotated, Final
from urllib.parse import urlsplit

from pydantic import AfterValidator

_ENDPOINT: Final = re.compile(r"https?://\S+")
_BASE_URL: Final = re.compile(r"https?://[^\s\\@/?#]+(/[^\s\\?#]*)?")
_ORIGIN: Final = re.compile(r"(?!http:.*:80$|https:.*:443$)[a-z][a-z0-9+.-]*://[^\s/?#@*A-Z]+")
_ORIGINS_WITHOUT_HOST: Final = ("*", "null", "file://")


def split_origins(text: str) -> tuple[str, ...]:
    """Returns the origins that a text has between its commas."""
    return tuple(origin.strip() for origin in text.split(",") if origin.strip())


def _base_url(text: str) -> str:
    try:
        is_address = bool(urlsplit(text).hostname) and urlsplit(text).port != 0
    except ValueError:
        is_address = False
    if not is_address or not _BASE_URL.fullmatch(text):
        raise ValueError(
            f"{text!r} is not a URL of http or https without a query: give one such as https://otlp.example.com:4318"
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
        if origin not in _ORIGINS_WITHOUT_HOST and not _ORIGIN.fullmatch(origin):
            raise ValueError(
                f"{origin!r} is not an origin that browsers send: write it in lower case, without a path and the"
                " scheme's own port, such as https://shop.example.com, or * alone for any"
            )
    return text


BaseUrl = Annotated[str, AfterValidator(_base_url)]
"""URL of a server, with http or https, a host, and perhaps the path that a proxy adds."""

EndpointUrl = Annotated[str, AfterValidator(_endpoint)]
"""URL to which Logsieve sends its own logs or traces."""

Origins = Annotated[str, AfterValidator(_origins)]
"""Origins of web pages as browsers send them (RFC 6454, 6.1), separated by commas; `*` is any."""
