"""HTTP session of OTLP exporters that send to this installation's own receiver over TLS."""

import ssl
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import requests
from requests.adapters import HTTPAdapter

from kit.errors import InvalidRequest


def trust_only(session: requests.Session, trusted: Callable[[], ssl.SSLContext]) -> requests.Session:
    """Makes the session verify HTTPS servers against the SSL context that `trusted` returns.

    Host names in certificates are not checked. `trusted` is called before each request, so that renewed certificates
    need no new session. If it fails because the files are just being replaced, the session keeps its last context.
    """
    session.mount("https://", _Trusting(trusted))
    return session


class _Trusting(HTTPAdapter):
    def __init__(self, trusted: Callable[[], ssl.SSLContext]) -> None:
        self._trusted = trusted
        self._context = trusted()
        super().__init__()

    def init_poolmanager(self, *arguments: Any, **options: Any) -> None:
        super().init_poolmanager(*arguments, ssl_context=self._context, assert_hostname=False, **options)

    def send(self, *arguments: Any, **options: Any) -> requests.Response:
        current = self._context
        with suppress(InvalidRequest):
            current = self._trusted()
        if current is not self._context:
            self._context = current
            self.poolmanager.clear()
            self.init_poolmanager(self._pool_connections, self._pool_maxsize, block=self._pool_block)
        return super().send(*arguments, **options)

    def cert_verify(self, conn: Any, url: str, verify: Any, cert: Any) -> None:
        """Does nothing, so that requests does not add the public authorities to the context."""
        del url, verify, cert
        conn.cert_reqs = "CERT_REQUIRED"
