"""Listening sockets."""

import socket
from typing import Final

from kit.errors import Conflict
from kit.server.config import BACKLOG

EVERY_ADDRESS: Final = "::"
"""Host that stands for all addresses, IPv6 and IPv4."""


def bind(host: str, port: int, purpose: str, *, share: bool = False) -> socket.socket:
    """Returns a listening socket. With `share`, other sockets that share it too can listen on the same port.

    Raises Conflict if the port is taken. The socket is bound here because uvicorn would end the whole process then.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Without this option, Python limits a socket of IPv6 to IPv6, while gRPC accepts IPv4 too.
    dual = host == EVERY_ADDRESS and socket.has_dualstack_ipv6()
    try:
        return socket.create_server((host, port), family=family, backlog=BACKLOG, reuse_port=share, dualstack_ipv6=dual)
    except OSError as error:
        raise Conflict(
            f"cannot listen on {host}:{port} for {purpose}: {error.strerror}. Stop the other program, or set another "
            "port or LOGSIEVE_BIND_HOST"
        ) from error
