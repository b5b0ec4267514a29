"""The look at descriptors lets others on the event loop have their turns."""

import asyncio
import os
import socket

from ingest.receiver.grpc_connections import LOOKED_AT_ONCE, GrpcConnections
from ingest.receiver.grpc_traffic import Traffic
from kit.server.connections import AddressLimit

MANY = 10 * LOOKED_AT_ONCE


def test_many_descriptors_are_looked_at_a_few_at_a_time() -> None:
    async def turns_meanwhile() -> int:
        looking = asyncio.create_task(GrpcConnections(1, AddressLimit(1), Traffic()).look())
        turns = 0
        while not looking.done():
            await asyncio.sleep(0)
            turns += 1
        await looking
        return turns

    with socket.socket() as one:
        copies = [os.dup(one.fileno()) for _ in range(MANY)]
        try:
            assert asyncio.run(turns_meanwhile()) >= MANY / LOOKED_AT_ONCE
        finally:
            for each in copies:
                os.close(each)
