"""Sends accepted requests to Kafka, and waits until the brokers have them.

Uses confluent_kafka.Producer directly, because its own asyncio wrapper (2.16) cannot send headers in batches.
"""

import asyncio
import logging
import random
from collections.abc import Callable

import structlog
from confluent_kafka import KafkaError, KafkaException, Message, Producer

from ingest.receiver.breakers import Attempt, Breakers
from ingest.receiver.spread import Spread
from kit.clock import Clock
from kit.errors import LogsieveError, TooLarge, Unavailable
from kit.kafka import kafka_connection
from kit.repeating import Repeating
from kit.settings import Settings
from schema.envelope import Envelope
from schema.tenant_partitions import PARTITIONER
from schema.topic import MESSAGE_MAX_BYTES

log = structlog.get_logger()

DELIVERY_MS = 10_000
"""Longest delivery of a message, in milliseconds. OTLP exporters wait 10 s by default; later answers are lost."""

POLL_SECONDS = 0.1
FULL_RETRY_SECONDS = 1.0


class TopicProducer:
    """Producer for one event loop. Another thread collects the delivery reports."""

    def __init__(
        self, settings: Settings, memory: int, keys: Callable[[int], int], on_fatal: Callable[[], None], clock: Clock
    ) -> None:
        """`memory` is the largest number of bytes of the messages that wait for Kafka. `keys` returns the number of
        keys that a tenant's messages may have now, by the tenant's id. `on_fatal` is called on the event loop when the
        producer can never send again and must be replaced."""
        self._topic = settings.kafka_topic
        self._loop = asyncio.get_running_loop()
        self._on_fatal = on_fatal
        self._breakers = Breakers(clock)
        self._spread = Spread(settings.tenant_partition_bytes_per_second, keys, clock, random.Random())
        self._producer = Producer(
            producer_config(settings, memory) | {"error_cb": self._failed}, logger=logging.getLogger("librdkafka")
        )
        self._reports = _DeliveryReports(self._producer)
        self._reports.start()

    def check(self, tenant_id: int) -> None:
        """Raises Unavailable if Kafka, or the only partition of the tenant, is known to be down. Call it before any
        work on a request."""
        self._breakers.check(self._spread.only_key(tenant_id))

    def problem(self) -> str | None:
        """Returns why requests of all tenants are refused now because of Kafka; None if one may be tried.

        Any thread may call it.
        """
        return self._breakers.problem()

    async def send(self, envelope: Envelope, value: bytes) -> None:
        """Returns when all in-sync replicas have the message.

        Raises Unavailable if they do not confirm within 10 s; immediately if Kafka or the message's partition is known
        to be down, or the local queue is full. The message may have been written even so, if only the answer was lost.
        A sender that retries then sends it twice.
        """
        key = self._spread.key(envelope.tenant_id, len(value))
        attempt = self._breakers.start(key)
        delivered: asyncio.Future[None] = self._loop.create_future()

        def report(error: KafkaError | None, _message: Message) -> None:
            self._loop.call_soon_threadsafe(self._reported, attempt, delivered, error)

        try:
            self._producer.produce(self._topic, value, key=key, headers=envelope.headers(), on_delivery=report)
        except BufferError:
            self._breakers.cancel(attempt)
            raise Unavailable(
                "too many requests are waiting for Kafka; send the request again", retry_after=FULL_RETRY_SECONDS
            ) from None
        except KafkaException as error:
            self._breakers.cancel(attempt)
            raise self._translated(attempt, error.args[0]) from error
        await delivered

    async def close(self) -> None:
        """Waits for messages in progress, at most as long as one delivery may take."""
        await asyncio.to_thread(self._producer.flush, DELIVERY_MS / 1000)
        self._reports.stop()
        await asyncio.to_thread(self._reports.join)

    def _failed(self, error: KafkaError) -> None:
        log.warning("Kafka reported an error to the receiver", reason=error.str(), fatal=error.fatal())
        if error.fatal():
            self._loop.call_soon_threadsafe(self._on_fatal)
        elif error.code() == KafkaError._ALL_BROKERS_DOWN:
            self._loop.call_soon_threadsafe(self._breakers.alarm, error.str())

    def _reported(self, attempt: Attempt, delivered: "asyncio.Future[None]", error: KafkaError | None) -> None:
        if error is None:
            self._breakers.succeeded(attempt)
        elif error.code() in _UNREACHABLE:
            self._breakers.failed(attempt, error.str())
        if delivered.done():  # the waiting caller was cancelled
            return
        if error is None:
            delivered.set_result(None)
        else:
            delivered.set_exception(self._translated(attempt, error))

    def _translated(self, attempt: Attempt, error: KafkaError) -> LogsieveError:
        if error.code() == KafkaError.MSG_SIZE_TOO_LARGE:
            return TooLarge("the request is larger than a Kafka message may be; send smaller requests")
        return self._breakers.refusal(attempt, f"Kafka did not take the request: {error.str()}")


class _DeliveryReports(Repeating):
    """Serves a producer's callbacks, in a thread."""

    def __init__(self, producer: Producer) -> None:
        super().__init__("kafka-delivery", 0)
        self._producer = producer

    def run_once(self) -> None:
        self._producer.poll(POLL_SECONDS)


_UNREACHABLE = (KafkaError._MSG_TIMED_OUT, KafkaError._TIMED_OUT, KafkaError._TRANSPORT, KafkaError._ALL_BROKERS_DOWN)


def producer_config(settings: Settings, memory: int) -> dict[str, str | int | bool]:
    """Returns librdkafka's settings for the producer of accepted requests, of which `memory` bytes may wait for
    Kafka."""
    return {
        **kafka_connection(settings),
        "acks": "all",
        "enable.idempotence": True,
        "partitioner": PARTITIONER,
        "compression.type": settings.kafka_codec,
        "linger.ms": 2,
        "reconnect.backoff.ms": 500,
        "reconnect.backoff.max.ms": 2_000,
        "message.max.bytes": MESSAGE_MAX_BYTES,
        "message.timeout.ms": DELIVERY_MS,
        "queue.buffering.max.kbytes": memory // 1024,
    }
