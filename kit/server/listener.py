"""Listening sockets."""

import socket

from kit.errors import Conflict
from kit.server.config import BACKLOG


def bind(host: str, port: int, purpose: str, *, share: bool = False) -> socket.socket:
    """Returns a listening socket; `share` lets others that share it too listen on the same port. Raises Conflict.

    Bound here because uvicorn ends the whole process when a port is taken.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=BACKLOG, reuse_port=share)
    except OSError as error:
        raise Conflict(f"cannot listen on {host}:{port} for {purpose}: {error.strerror}") from error
