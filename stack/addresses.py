"""Addresses at which commands and services of the stack call its ports."""

from kit.settings import Settings


def reachable(host: str) -> str:
    """Returns the address to call a server that listens on `host`."""
    loopback = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}
    return loopback.get(host, f"[{host}]" if ":" in host else host)


def own_url(settings: Settings, port: int) -> str:
    """Returns the URL, without a path, of a port of the stack that speaks TLS if the settings say so. `port` is the
    port as set, without the offset."""
    return f"{settings.http_scheme}://{reachable(settings.bind_host)}:{settings.port(port)}"
