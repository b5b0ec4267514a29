"""The HTTP session of OTLP exporters that send to this installation's own receiver over TLS."""

import ssl
from typing import Any

import requests
from requests.adapters import HTTPAdapter


def trust_only(session: requests.Session, trusted: ssl.SSLContext) -> requests.Session:
    """Has the session's https connections trust what the context trusts, whatever name the certificate has."""
    session.mount("https://", _Trusting(trusted))
    return session


class _Trusting(HTTPAdapter):
    def __init__(self, trusted: ssl.SSLContext) -> None:
        self._trusted = trusted
        super().__init__()

    def init_poolmanager(self, *arguments: Any, **options: Any) -> None:
        super().init_poolmanager(*arguments, ssl_context=self._trusted, assert_hostname=False, **options)

    def cert_verify(self, conn: Any, url: str, verify: Any, cert: Any) -> None:
        """Leaves the context as it is; requests would add the public authorities."""
        del url, verify, cert
        conn.cert_reqs = "CERT_REQUIRED"
