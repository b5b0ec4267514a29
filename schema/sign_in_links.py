"""One-time links that sign a browser in to the demo tenant: `up` and `ui` create them, any API process accepts them
once.

Each link's token is a file in LOGSIEVE_HOME/sign-in-links. The file's name is the token's SHA-256, its content the time
at which it expires. Using a link removes the file; if several requests use it at the same time, only the first gets the
keys.
"""

import hashlib
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Final

from kit.clock import Clock
from kit.settings import Settings
from schema.demo_keys import DemoKeys, read_demo_keys

_TOKEN_BYTES: Final = 32


def links_folder(settings: Settings) -> Path:
    return settings.home / "sign-in-links"


def make_token(
    settings: Settings, clock: Clock, token_bytes: Callable[[int], bytes] = secrets.token_bytes
) -> str | None:
    """Returns a new token for one use; None if the stack has no demo tenant. Removes expired links."""
    if read_demo_keys(settings) is None:
        return None
    folder = links_folder(settings)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    _remove_expired(folder, clock.now_ns())
    token = token_bytes(_TOKEN_BYTES).hex()
    file = _file(folder, token)
    file.touch(mode=0o600, exist_ok=False)
    file.write_text(str(clock.now_ns() + settings.ui_sign_in_link_seconds * 10**9))
    return token


def exchange(settings: Settings, token: str, clock: Clock) -> DemoKeys | None:
    """Returns the demo keys for a valid token, and makes the token invalid. Returns None for any other text."""
    file = _file(links_folder(settings), token)
    try:
        expires_ns = _expires_ns(file)
        file.unlink()
    except FileNotFoundError:
        return None
    return read_demo_keys(settings) if clock.now_ns() < expires_ns else None


def _file(folder: Path, token: str) -> Path:
    return folder / hashlib.sha256(token.encode()).hexdigest()


def _expires_ns(file: Path) -> int:
    """Returns the file's Unix time in nanoseconds; 0 if the file was not written completely."""
    text = file.read_text()
    return int(text) if text.isdecimal() else 0


def _remove_expired(folder: Path, now_ns: int) -> None:
    for file in folder.iterdir():
        try:
            if _expires_ns(file) <= now_ns:
                file.unlink()
        except FileNotFoundError:
            # Another request used the token at this moment.
            continue
