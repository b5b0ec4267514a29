"""Converts the TLS options in libpq's URLs (`sslmode`, `sslrootcert`, `sslcert`, `sslkey`) to an SSL context for
asyncpg.

asyncpg takes a context instead of files.
"""

import ssl
from pathlib import Path
from typing import Any, Final

from sqlalchemy.engine import URL

from kit.errors import InvalidRequest
from kit.pem_files import unusable_files

CHECKED: Final = ("verify-ca", "verify-full")
MODES: Final = ("disable", "allow", "prefer", "require", *CHECKED)
FILES: Final = ("sslrootcert", "sslcert", "sslkey")
PARAMETERS: Final = ("sslmode", *FILES)
"""Parameters of the URL that concern TLS."""


def without_tls(url: URL) -> tuple[URL, dict[str, Any]]:
    """Returns the URL without its TLS options, and asyncpg's arguments for them.

    If files are named without a mode, certificate and host name are checked. Raises InvalidRequest for a mode that
    PostgreSQL does not have, for files that the mode does not use, and for files that cannot be read.
    """
    said = {name: value for name in PARAMETERS if isinstance(value := url.query.get(name), str)}
    if not said:
        return url, {}
    mode = said.get("sslmode", "verify-full")
    if mode not in MODES:
        raise InvalidRequest(f"sslmode of LOGSIEVE_CONTROL_URL is {mode!r}: use one of {', '.join(MODES)}")
    if mode not in CHECKED and (unused := [name for name in FILES if name in said]):
        raise InvalidRequest(
            f"sslmode={mode} of LOGSIEVE_CONTROL_URL does not check certificates: use verify-full, or drop {unused[0]}"
        )
    return url.difference_update_query(said), {"ssl": _context(mode, said) if mode in CHECKED else mode}


def _context(mode: str, said: dict[str, str]) -> ssl.SSLContext:
    try:
        context = ssl.create_default_context(cafile=said.get("sslrootcert"))
        if certificate := said.get("sslcert"):
            context.load_cert_chain(certificate, said.get("sslkey"))
    except OSError as error:
        named = {f"{name} of LOGSIEVE_CONTROL_URL": Path(said[name]) for name in FILES if name in said}
        raise InvalidRequest(unusable_files(named, error)) from error
    context.check_hostname = mode == "verify-full"
    return context
