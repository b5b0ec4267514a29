"""The part of our HTTP protocol that bounds the request line, the headers and the trailers of a request."""

import asyncio
from typing import ClassVar

from kit.server.limits import HttpLimits
from kit.server.request_head import Refused
from kit.server.turn_taking import TurnTakingHttp

HEADERS = 200
"""Largest number of headers of a request, with the trailers of its body. 64 KiB have room for 13,000, which take 5 ms
of the event loop."""


class HeadLimitedHttp(TurnTakingHttp):
    """Refuses a request whose head is too large, while it arrives."""

    limits: ClassVar[HttpLimits]

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._in_head = False
        self._head_bytes = self._header_count = 0  # of the request that is being read, with its trailers

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._in_head, self._head_bytes, self._header_count = True, 0, 0

    def on_url(self, url: bytes) -> None:
        self._count_head(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        self._count_head(len(name) + len(value) + 4)
        self._header_count += 1
        if self._header_count > HEADERS:
            raise Refused(431, f"a request may have at most {HEADERS} headers")
        if self._in_head:  # trailers of a chunked body must not become headers (RFC 9110, 6.5.1)
            super().on_header(name, value)

    def _count_head(self, size: int) -> None:
        self._head_bytes += size
        if self._head_bytes > self.limits.head_bytes:
            self._refuse_size()

    def _refuse_size(self) -> None:
        in_url = self._in_head and not self.headers
        what = "the request line" if in_url else "the request line and headers together"
        raise Refused(414 if in_url else 431, f"{what} may have at most {self.limits.head_bytes} bytes")
