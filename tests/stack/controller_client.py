"""Asks a broker's controller in Kafka's binary protocol. Clients of librdkafka only make requests that no controller
answers, whatever it requires of them."""

import socket
import struct
from itertools import count
from typing import Final

from stack.broker.accounts import BROKER
from stack.broker.node import Broker
from stack.tests.java_text import java_text

_SASL_HANDSHAKE: Final = (17, 1)
_SASL_AUTHENTICATE: Final = (36, 0)
_DESCRIBE_CLUSTER: Final = (60, 1)
"""Key and version of a request. A controller answers all three if the client may make them."""
_PLAIN: Final = struct.pack(">h5s", 5, b"PLAIN")
_CONTROLLERS: Final = b"\x00\x02\x00"
"""Body of DescribeCluster: without authorized operations, about controllers, without tagged fields."""


def controller_answers(port: int, account: tuple[str, str] | None) -> bool:
    """Returns true if the listener on a port of loopback lists the controllers to a client that has signed in with this
    user and password, or has not signed in at all. A listener that requires another account closes the connection."""
    numbers = count()
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:

        def answer(request: tuple[int, int], body: bytes, tags: bytes = b"") -> bytes:
            key, version = request
            message = struct.pack(">hhih", key, version, next(numbers), -1) + tags + body
            connection.sendall(struct.pack(">i", len(message)) + message)
            with connection.makefile("rb") as received:
                length = received.read(4)
                return received.read(*struct.unpack(">i", length)) if length else b""

        try:
            if account is not None:
                credentials = f"\0{account[0]}\0{account[1]}".encode()
                answer(_SASL_HANDSHAKE, _PLAIN)
                answer(_SASL_AUTHENTICATE, struct.pack(">i", len(credentials)) + credentials)
            # The error, 0 if there is none, comes after the request's number, the tags and a delay (4, 1, 4 bytes).
            described = answer(_DESCRIBE_CLUSTER, _CONTROLLERS, tags=b"\x00")
        except ConnectionError:
            return False
    return described[9:11] == b"\x00\x00"


def own_account(broker: Broker) -> tuple[str, str]:
    """Returns user and password of the broker itself, from its configuration."""
    prefix = "listener.name.controller.plain.sasl.jaas.config="
    lines = broker.properties_file.read_text().splitlines()
    written = java_text(next(line.removeprefix(prefix) for line in lines if line.startswith(prefix)))
    return BROKER, written.partition(' password="')[2].partition('"')[0]
