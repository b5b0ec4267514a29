"""The certificate of the listening ports, which is read again when its files change."""

import os
import ssl
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import structlog

from kit.clock import Clock
from kit.errors import InvalidRequest
from kit.pem_files import unusable_files
from kit.settings import Settings

log = structlog.get_logger()

CHECK_SECONDS: Final = 1.0
"""Shortest time between two checks of the files, in seconds. New connections get the previous certificate until
then."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """A valid certificate: PEM texts, and the SSL context made of them."""

    chain: bytes
    key: bytes
    client_ca: bytes | None
    context: ssl.SSLContext


class Certificates:
    """Key and certificate chain, and the CA of client certificates if clients must show one. May be used from any
    thread.

    If the files do not make a valid certificate, that is logged and the previous certificate stays in use.
    """

    def __init__(self, chain: Path, key: Path, client_ca: Path | None, clock: Clock) -> None:
        """Raises InvalidRequest if the files do not make a valid certificate."""
        self._files = (chain, key, client_ca)
        self._clock = clock
        self._lock = threading.Lock()
        self._seen = self._fingerprint()
        self._checked_at = clock.monotonic()
        try:
            self._loaded = _load(*self._files)
        except (OSError, ValueError) as error:
            named = {"LOGSIEVE_TLS_CERT_FILE": chain, "LOGSIEVE_TLS_KEY_FILE": key}
            if client_ca is not None:
                named["LOGSIEVE_TLS_CLIENT_CA_FILE"] = client_ca
            raise InvalidRequest(unusable_files(named, error)) from error

    @property
    def requires_client_certificates(self) -> bool:
        """Returns whether clients must show a certificate."""
        return self._files[2] is not None

    def current(self) -> Loaded:
        """Returns the certificate. Reads changed files first if the last check is at least CHECK_SECONDS ago."""
        with self._lock:
            now = self._clock.monotonic()
            if now - self._checked_at >= CHECK_SECONDS:
                self._checked_at = now
                self._read_again()
            return self._loaded

    def _read_again(self) -> None:
        seen = self._fingerprint()
        if seen == self._seen:
            return
        self._seen = seen
        try:
            self._loaded = _load(*self._files)
        except (OSError, ValueError) as error:
            log.error("the changed TLS certificate cannot be used; the previous one stays in use", reason=str(error))
        else:
            log.info("changed TLS certificate read", file=str(self._files[0]))

    def _fingerprint(self) -> tuple[tuple[int, int, int] | None, ...]:
        return tuple(_state(path) for path in self._files if path is not None)


def certificates(
    settings: Settings, clock: Clock, *, requires_client_certificates: bool = False
) -> Certificates | None:
    """Returns the certificate that the settings name; None if they name none.

    With `requires_client_certificates`, clients must show a certificate if the settings name a CA for them. Raises
    InvalidRequest.
    """
    if (settings.tls_cert_file is None) != (settings.tls_key_file is None):
        raise InvalidRequest("set both LOGSIEVE_TLS_CERT_FILE and LOGSIEVE_TLS_KEY_FILE, or neither")
    if settings.tls_cert_file is None or settings.tls_key_file is None:
        if settings.tls_client_ca_file is not None:
            raise InvalidRequest(
                "LOGSIEVE_TLS_CLIENT_CA_FILE needs LOGSIEVE_TLS_CERT_FILE and LOGSIEVE_TLS_KEY_FILE: set both"
            )
        return None
    client_ca = settings.tls_client_ca_file if requires_client_certificates else None
    return Certificates(settings.tls_cert_file, settings.tls_key_file, client_ca, clock)


def _state(path: Path) -> tuple[int, int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def _load(chain_file: Path, key_file: Path, client_ca_file: Path | None) -> Loaded:
    """Raises OSError (ssl.SSLError is one) or ValueError if the files are not a valid certificate."""
    chain, key = chain_file.read_bytes(), key_file.read_bytes()
    client_ca = client_ca_file.read_bytes() if client_ca_file is not None else None
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    # OpenSSL reads only files. It reads copies, because the originals may be replaced one after the other meanwhile.
    with tempfile.TemporaryDirectory(prefix="logsieve-tls-") as folder:
        copies = Path(folder, "chain.pem"), Path(folder, "key.pem")
        for copy, text in zip(copies, (chain, key), strict=True):
            copy.touch(mode=0o600)
            copy.write_bytes(text)
        # For an encrypted key OpenSSL would prompt at the terminal.
        context.load_cert_chain(*copies, password=lambda: b"")
    if client_ca is not None:
        context.load_verify_locations(cadata=client_ca.decode())
        # The handshake requires no client certificate, because health checks have none. The OTLP endpoints require it.
        context.verify_mode = ssl.CERT_OPTIONAL
    context.set_alpn_protocols(["http/1.1"])
    return Loaded(chain, key, client_ca, context)
