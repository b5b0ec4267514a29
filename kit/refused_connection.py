"""Explains a refused connection to an operator: names the setting that has the wrong file, host or password."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

_REFUSED: Final = re.compile(r"certificate verify failed: (.+?)\.? \(_ssl")
_OTHER_NAME: Final = re.compile(r"(?i)mismatch")
_WANTED: Final = re.compile(r"(?i)alert.(certificate.required|bad.certificate|unknown.ca)|valid client certificate")
"""Texts by which a server says that the client's certificate is missing or not trusted: TLS alerts (RFC 8446, 6), and
PostgreSQL's own."""

_NO_TLS: Final = re.compile(r"(?i)wrong.version.number|record.layer.failure")
"""Texts of OpenSSL about an answer that is not TLS."""

CLICKHOUSE_AUTHENTICATION_FAILED: Final = 516
"""ClickHouse's code for an unknown user or a wrong password (src/Common/ErrorCodes.cpp)."""
CLICKHOUSE_PASSWORD: Final = (
    "ClickHouse refused a user or its password: check LOGSIEVE_CLICKHOUSE_USER and LOGSIEVE_CLICKHOUSE_PASSWORD, and"
    " for searches LOGSIEVE_CLICKHOUSE_QUERY_USER and LOGSIEVE_CLICKHOUSE_QUERY_PASSWORD"
)


@dataclass(frozen=True, slots=True)
class Server:
    """A kind of server, and the names of the settings of connections to it."""

    name: str
    address: str
    authority: str
    certificate: str

    def untrusted(self, reason: str) -> str:
        """Returns the sentence for a server certificate of an untrusted authority."""
        return (
            f"the certificate of {self.name} is not trusted ({reason}): set {self.authority} to a PEM file with the"
            " certificate of the authority that signed it"
        )

    def misnamed(self, reason: str) -> str:
        """Returns the sentence for a server certificate of another host name."""
        return (
            f"the certificate of {self.name} was issued for another name ({reason}): use a name from the certificate"
            f" in {self.address}"
        )

    def lacks_tls(self) -> str:
        """Returns the sentence for a server that does not speak TLS on this port."""
        return f"{self.name} does not speak TLS on this port: correct the port or the scheme in {self.address}"

    def requires_certificate(self) -> str:
        """Returns the sentence for a server that requires a client certificate."""
        return f"{self.name} requires a client certificate that it trusts: set {self.certificate}"


CLICKHOUSE: Final = Server(
    "ClickHouse",
    "LOGSIEVE_CLICKHOUSE_URL",
    "LOGSIEVE_CLICKHOUSE_CA_FILE",
    "LOGSIEVE_CLICKHOUSE_CERTIFICATE_FILE and LOGSIEVE_CLICKHOUSE_KEY_FILE",
)
POSTGRESQL: Final = Server(
    "the control plane's database",
    "the host of LOGSIEVE_CONTROL_URL",
    "sslrootcert in LOGSIEVE_CONTROL_URL",
    "sslcert and sslkey in LOGSIEVE_CONTROL_URL",
)


def timed_out(error: BaseException) -> bool:
    """Returns whether the server did not accept the connection, or did not answer, within the client's timeout."""
    return any(isinstance(each, TimeoutError) for each in _causes(error))


def connection_refused(error: BaseException) -> bool:
    """Returns whether the server's host refused the connection, so that the server received no part of the request."""
    return any(isinstance(each, ConnectionRefusedError) for each in _causes(error))


def certificate_refusal(error: BaseException, server: Server) -> str | None:
    """Returns why the connection was refused and what to set; None for an error that is not about certificates.

    Client libraries wrap the error of Python's `ssl` in errors of their own, and all of them keep its text.
    """
    for text in map(str, _causes(error)):
        if refused := _REFUSED.search(text):
            reason = refused[1]
            return server.misnamed(reason) if _OTHER_NAME.search(reason) else server.untrusted(reason)
        if _WANTED.search(text):
            return server.requires_certificate()
        if _NO_TLS.search(text):
            return server.lacks_tls()
    return None


def _causes(error: BaseException) -> Iterator[BaseException]:
    seen: list[BaseException] = []
    current: BaseException | None = error
    while current is not None and current not in seen:
        yield current
        seen.append(current)
        current = current.__cause__ or current.__context__
