"""The certificate of the listening ports, read again when its files change."""

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
from kit.settings import Settings

log = structlog.get_logger()

LOOK_SECONDS: Final = 1.0
"""Shortest time between two looks at the files; connections made meanwhile get the certificate read before."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """A certificate that was found to be whole: PEM texts, and the context made of them."""

    chain: bytes
    key: bytes
    client_ca: bytes | None
    context: ssl.SSLContext


class Certificates:
    """Key, certificate chain and, where clients must show one too, the CA of theirs. For any thread.

    Files that make no valid certificate together are logged and passed over: what was read before stays in force.
    """

    def __init__(self, chain: Path, key: Path, client_ca: Path | None, clock: Clock) -> None:
        """Raises InvalidRequest where the files make no certificate at the start."""
        self._files = (chain, key, client_ca)
        self._clock = clock
        self._lock = threading.Lock()
        self._seen = self._fingerprint()
        self._looked_at = clock.monotonic()
        try:
            self._loaded = _load(*self._files)
        except (OSError, ValueError) as error:
            raise InvalidRequest(
                f"LOGSIEVE_TLS_CERT_FILE ({chain}) and LOGSIEVE_TLS_KEY_FILE ({key}) are not a certificate and its "
                f"key: {error}"
            ) from error

    @property
    def asks_clients(self) -> bool:
        """Returns whether clients must show a certificate."""
        return self._files[2] is not None

    def current(self) -> Loaded:
        """Returns what was read last, after a look at the files where the last look is too old."""
        with self._lock:
            now = self._clock.monotonic()
            if now - self._looked_at >= LOOK_SECONDS:
                self._looked_at = now
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


def certificates(settings: Settings, clock: Clock, *, asks_clients: bool = False) -> Certificates | None:
    """Returns the certificate that the settings name, None where they name none.

    `asks_clients` is for ports whose clients show certificates too where the settings name a CA. Raises InvalidRequest.
    """
    if (settings.tls_cert_file is None) != (settings.tls_key_file is None):
        raise InvalidRequest("set both LOGSIEVE_TLS_CERT_FILE and LOGSIEVE_TLS_KEY_FILE, or neither")
    if settings.tls_cert_file is None or settings.tls_key_file is None:
        if settings.tls_client_ca_file is not None:
            raise InvalidRequest("LOGSIEVE_TLS_CLIENT_CA_FILE needs LOGSIEVE_TLS_CERT_FILE and LOGSIEVE_TLS_KEY_FILE")
        return None
    client_ca = settings.tls_client_ca_file if asks_clients else None
    return Certificates(settings.tls_cert_file, settings.tls_key_file, client_ca, clock)


def _state(path: Path) -> tuple[int, int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def _load(chain_file: Path, key_file: Path, client_ca_file: Path | None) -> Loaded:
    """Raises OSError (of which ssl.SSLError is one) or ValueError where the files are no certificate."""
    chain, key = chain_file.read_bytes(), key_file.read_bytes()
    client_ca = client_ca_file.read_bytes() if client_ca_file is not None else None
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    # From copies, because the files may be replaced one after the other just now. OpenSSL reads files only.
    with tempfile.TemporaryDirectory(prefix="logsieve-tls-") as folder:
        copies = Path(folder, "chain.pem"), Path(folder, "key.pem")
        for copy, text in zip(copies, (chain, key), strict=True):
            copy.touch(mode=0o600)
            copy.write_bytes(text)
        # An encrypted key would have OpenSSL ask at the terminal.
        context.load_cert_chain(*copies, password=lambda: b"")
    if client_ca is not None:
        context.load_verify_locations(cadata=client_ca.decode())
        # Not required in the handshake: health checks have none. Whoever takes logs looks at it.
        context.verify_mode = ssl.CERT_OPTIONAL
    context.set_alpn_protocols(["http/1.1"])
    return Loaded(chain, key, client_ca, context)
