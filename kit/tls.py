"""Certificates that our HTTP clients trust. They are read once per process, because reading takes longer than most
requests."""

import ssl
from functools import cache
from pathlib import Path

import httpx2

from kit.errors import InvalidRequest
from kit.pem_files import unusable_files
from kit.settings import Settings


@cache
def trusted() -> ssl.SSLContext:
    """Returns an SSL context with the certificates that `httpx2` trusts by default. Pass it as `verify`, so that each
    new client does not read the certificates again."""
    return httpx2.create_ssl_context()


def own_ports(settings: Settings) -> ssl.SSLContext:
    """Returns the TLS context of clients that connect to this installation's own ports, at an address of this machine.

    If the settings have a certificate, the context trusts exactly that one, for any host name and from any issuer. If
    they have a client certificate, the context shows it to ports that require one. Raises InvalidRequest for files that
    cannot be used.
    """
    if settings.tls_cert_file is None:
        return trusted()
    files = (settings.tls_cert_file, settings.tls_client_cert_file, settings.tls_client_key_file)
    try:
        return _pinned(*files, tuple(file.stat().st_mtime_ns for file in files if file is not None))
    except OSError as error:
        names = ("LOGSIEVE_TLS_CERT_FILE", "LOGSIEVE_TLS_CLIENT_CERT_FILE", "LOGSIEVE_TLS_CLIENT_KEY_FILE")
        raise InvalidRequest(unusable_files(dict(zip(names, files, strict=True)), error)) from error


@cache
def _pinned(certificate: Path, shown: Path | None, key: Path | None, changed: tuple[int, ...]) -> ssl.SSLContext:
    """Makes and caches the context of these files. `changed` is the time of their last change, so that a changed file
    makes a new context."""
    del changed
    context = ssl.create_default_context(cafile=str(certificate))
    context.check_hostname = False
    # The file need not contain the root certificate of the authority that signed the certificate in it.
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    if shown is not None:
        context.load_cert_chain(shown, key)
    return context
