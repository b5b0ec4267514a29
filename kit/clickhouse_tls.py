"""TLS options of ClickHouse clients: the authorities that they trust, and the client certificate that they present.

If the URL begins with https, the server's certificate and host name are always checked; no setting turns that off.
"""

import ssl
from functools import cache
from pathlib import Path

from kit.pem_files import unusable_files
from kit.settings import Settings


def tls_options(settings: Settings) -> dict[str, str]:
    """Returns the TLS options for clickhouse-connect's clients; empty if the settings name no files.

    A client certificate is presented in addition to user and password, which ClickHouse still checks (`strict`).
    """
    named = {
        "ca_cert": settings.clickhouse_ca_file,
        "client_cert": settings.clickhouse_certificate_file,
        "client_cert_key": settings.clickhouse_key_file,
    }
    options = {name: str(path) for name, path in named.items() if path is not None}
    return options | ({"tls_mode": "strict"} if "client_cert" in options else {})


def tls_context(settings: Settings) -> ssl.SSLContext:
    """Returns these options as an SSL context for other HTTP clients. The files are read once per process."""
    return _context(settings.clickhouse_ca_file, settings.clickhouse_certificate_file, settings.clickhouse_key_file)


def unusable_tls_files(settings: Settings) -> str | None:
    """Returns a sentence about the files that the settings name, if no SSL context can be made of them; else None."""
    try:
        tls_context(settings)
    except OSError as error:
        named = {
            "LOGSIEVE_CLICKHOUSE_CA_FILE": settings.clickhouse_ca_file,
            "LOGSIEVE_CLICKHOUSE_CERTIFICATE_FILE": settings.clickhouse_certificate_file,
            "LOGSIEVE_CLICKHOUSE_KEY_FILE": settings.clickhouse_key_file,
        }
        return unusable_files(named, error)
    return None


@cache
def _context(ca: Path | None, certificate: Path | None, key: Path | None) -> ssl.SSLContext:
    context = ssl.create_default_context()
    if ca is not None:
        context.load_verify_locations(ca)
    if certificate is not None:
        context.load_cert_chain(certificate, key)
    return context
