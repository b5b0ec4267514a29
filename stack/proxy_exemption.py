"""Keeps requests to servers on this machine away from the HTTP proxy that the environment may name."""

import os
from typing import Final

_LOOPBACK: Final = ("localhost", "127.0.0.1", "::1")
_PROXIES: Final = ("http_proxy", "https_proxy", "all_proxy")


def exempt_from_proxy(*hosts: str) -> None:
    """Adds loopback and these hosts to NO_PROXY and no_proxy of this process, which its children inherit.

    A proxy cannot reach servers that listen on loopback, and would see ClickHouse's passwords and ingest keys. Keeps
    the hosts that the two variables name. Does nothing if the environment names no proxy.
    """
    if not any(os.environ.get(name) or os.environ.get(name.upper()) for name in _PROXIES):
        return
    lower, upper = os.environ.get("no_proxy", ""), os.environ.get("NO_PROXY", "")
    # Many clients read only one of the two if both are set.
    for name, value in (("no_proxy", lower or upper), ("NO_PROXY", upper or lower)):
        listed = [each.strip() for each in value.split(",") if each.strip()]
        if listed != ["*"]:  # Clients know `*` only if it stands alone.
            os.environ[name] = ",".join(dict.fromkeys([*listed, *_LOOPBACK, *hosts]))
