"""Sends messages to Kafka, also those whose senders give up meanwhile."""

import asyncio
from typing import Protocol

from kit.fair_budget import Share
from schema.envelope import Envelope


class Sender(Protocol):
    """The part of ingest.receiver.producer.TopicProducer that Intake and Delivery use."""

    def check(self, tenant_id: int) -> None: ...

    async def send(self, envelope: Envelope, value: bytes) -> None: ...


class Quota(Protocol):
    """The part of ingest.receiver.quota.DayQuota that a delivery needs."""

    def sent(self, tenant_id: int, size: int) -> None: ...


class Delivery:
    """Sends the messages of requests, and counts the delivered bytes for the quota of the day."""

    def __init__(self, sender: Sender, quota: Quota) -> None:
        self._sender = sender
        self._quota = quota

    async def send(self, envelope: Envelope, value: bytes, share: Share) -> None:
        """Returns when Kafka has the message. Raises what the sender raises.

        If a gRPC client cancels its call, the message stays in the producer's queue. So its bytes are held until Kafka
        has answered, and they count for the quota if Kafka takes them.
        """
        sending = asyncio.create_task(self._deliver(envelope, value), name="deliver")
        try:
            await asyncio.wait((sending,))
            sending.result()
        except asyncio.CancelledError:
            share.keep_until(sending)
            sending.add_done_callback(_discard_error)
            raise
        finally:
            # An error's traceback holds this frame, and the task holds the error. The cycle would hold the body until
            # it is collected.
            del sending

    async def _deliver(self, envelope: Envelope, value: bytes) -> None:
        await self._sender.send(envelope, value)
        self._quota.sent(envelope.tenant_id, len(value))


def _discard_error(sending: "asyncio.Task[None]") -> None:
    """Takes the error of a message whose sender has gone. Otherwise asyncio would log it as an error that nobody
    handled."""
    if not sending.cancelled():
        sending.exception()
