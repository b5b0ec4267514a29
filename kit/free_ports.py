"""Finds free ports for programs that cannot choose a port themselves."""

import socket


def free_ports(count: int) -> list[int]:
    """Returns `count` different ports of 127.0.0.1 on which no program listens at the moment."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [int(each.getsockname()[1]) for each in sockets]
    finally:
        for each in sockets:
            each.close()
