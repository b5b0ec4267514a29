"""Refuses the head of a request if the server and a proxy in front of it could read it differently.

A client could otherwise make the proxy send one request, and the server read two: the second one would get the place of
another client's request. The parser refuses wrong lengths and wrong chunks itself, but accepts the heads named here.
"""

import re
from collections.abc import Sequence

_HOST = re.compile(rb"(\[[0-9a-z:.%_-]+\]|[a-z0-9._~%!$&'()*+,;=-]*)(:[0-9]*)?", re.IGNORECASE)
"""A value of the header Host by RFC 3986, 3.2.2. IPv6 addresses are checked by their characters only."""


class Refused(Exception):
    """Ends the parsing of a request. Has the status and the text of its answer."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status
        self.text = text


def check_head(headers: Sequence[tuple[bytes, bytes]], version: str) -> None:
    """Raises Refused if the headers of a request with this version of HTTP, such as "1.1", do not say clearly where it
    goes (RFC 9112, 3.2), or have a Transfer-Encoding that the server cannot decode (RFC 9112, 6.1).

    The names of the headers are in lower case.
    """
    hosts, codings = [], []
    for name, value in headers:
        if name == b"host":
            hosts.append(value.strip(b" \t"))  # The parser keeps white space behind a value (RFC 9110, 5.5).
        elif name == b"transfer-encoding":
            codings += [coding for each in value.split(b",") if (coding := each.strip().lower())]
    if len(hosts) > 1 or (not hosts and version == "1.1"):
        raise Refused(400, f"this request has {len(hosts)} Host headers; send exactly one, as HTTP/1.1 requires")
    if hosts and not _HOST.fullmatch(hosts[0]):
        found = _shown(hosts[0])
        raise Refused(400, f"the Host header is {found}; it must be a host name or an address, with or without a port")
    if codings not in ([], [b"chunked"]):
        found = _shown(b", ".join(codings))
        text = f"the Transfer-Encoding is {found}; send chunked alone, and name a compression in Content-Encoding"
        raise Refused(501, text)


def _shown(value: bytes) -> str:
    """Returns the beginning of a header's value for an error text."""
    return ascii(value[:40].decode("latin-1"))
