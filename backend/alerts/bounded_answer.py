"""Limits how many bytes of a webhook's answer are parsed.

A user of one tenant chooses the receiver. Without this limit, a receiver that sends interim answers (`100 Continue`)
without end would occupy the event loop of the alert worker until the attempt times out, and delay the rules and notices
of other tenants.
"""

import asyncio
from functools import partial
from typing import Final

import aiohttp
from aiohttp.abc import AbstractResolver
from aiohttp.client_proto import ResponseHandler

MAX_ANSWER_BYTES: Final = 32 * 2**10
"""Largest number of bytes of an answer that are parsed, with its headers and interim answers. The sender needs only the
status."""


class AnswerTooLong(aiohttp.ClientError):
    """An answer has no status within MAX_ANSWER_BYTES."""

    def __init__(self) -> None:
        super().__init__(
            f"the webhook sent more than {MAX_ANSWER_BYTES // 2**10} KiB of interim answers (1xx) or headers, so no "
            "further attempt follows: correct the server of the webhook"
        )


class _BoundedAnswer(ResponseHandler):
    """Protocol of a connection for one request."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(loop)
        self._received_bytes = 0

    def data_received(self, data: bytes) -> None:
        left = MAX_ANSWER_BYTES - self._received_bytes
        self._received_bytes += len(data)
        if left > 0:
            super().data_received(data[:left])
        elif self.transport is not None:
            # Only a request that still waits for its status gets the error.
            self.set_exception(AnswerTooLong())
            self.transport.abort()


def bounded_connector(resolver: AbstractResolver) -> aiohttp.TCPConnector:
    """Returns a connector that makes a connection for each request. Call it in the event loop that uses it.

    Requests raise AnswerTooLong if an answer has no status within MAX_ANSWER_BYTES.
    """
    connector = aiohttp.TCPConnector(resolver=resolver, use_dns_cache=False, force_close=True)
    protocol: type[ResponseHandler] = _BoundedAnswer
    # aiohttp has no public way to set the class of its protocol. A test fails if a new version ignores this attribute.
    connector._factory = partial(protocol, loop=asyncio.get_running_loop())
    return connector
