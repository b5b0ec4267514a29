"""The part of our HTTP protocol that answers requests for another protocol (Upgrade) as if they had not asked for it.

Java's HttpClient asks for HTTP/2 in every request over plain HTTP, and so does `curl --http2`. RFC 9110, 7.8 lets a
server ignore that. httptools does not: it ends such a request at its headers, leaves out its body, and drops all that
arrived with them.
"""

from typing import Final

import httptools
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

_TUNNEL: Final = b"CONNECT"


class _NoTunnel(Exception):
    """Ends the parsing of a request for a tunnel. Its parser would treat all further bytes as another protocol."""


class DecliningHttp(HttpToolsProtocol):
    """Parses a request for another protocol twice, the second time without its header Upgrade.

    In the first pass, `on_headers_complete` must do nothing if `declines` returns true, and `on_message_complete` must
    do nothing if `is_declining` is true.
    """

    _second_head: bytes | None = None
    """Head for the second pass, from the end of the headers until the parser has stopped."""

    def parse(self, data: bytes) -> None:
        """Parses bytes that arrived. Raises HttpParserError, also for CONNECT. Its context is the error of a callback,
        if there was one."""
        while data:
            try:
                self.parser.feed_data(data)
                return
            except httptools.HttpParserUpgrade as stopped:
                data = data[stopped.args[0] :]
            # The head is parsed outside of the handler, whose exception would replace the context of an error.
            head, self._second_head = self._second_head, None
            assert head is not None, "no other request makes the parser stop"
            # The first parser ignores all further bytes if the request closes its connection.
            self.parser = _new_parser(self)
            self.parser.feed_data(head)

    def declines(self) -> bool:
        """Returns whether the request whose headers are complete will be parsed again."""
        if not self.parser.should_upgrade():
            return False
        method = self.parser.get_method()
        if method == _TUNNEL:
            raise _NoTunnel
        version = self.parser.get_http_version().encode()
        kept = (b"%s: %s\r\n" % header for header in self.headers if header[0] != b"upgrade")
        self._second_head = b"%s %s HTTP/%s\r\n%s\r\n" % (method, self.url, version, b"".join(kept))
        return True

    @property
    def is_declining(self) -> bool:
        """Returns whether the message that has ended will be parsed again."""
        return self._second_head is not None


def _new_parser(protocol: HttpToolsProtocol) -> httptools.HttpRequestParser:
    """Returns a parser with the leniency that uvicorn gives its parsers: bytes behind a request that closes its
    connection are ignored, and are no error."""
    parser = httptools.HttpRequestParser(protocol)
    parser.set_dangerous_leniencies(lenient_data_after_close=True)
    return parser
