"""Dead letters into their topic, confirmed before anything is committed past them."""

import logging
from collections.abc import Callable
from typing import TypeAlias

from confluent_kafka import KafkaError, KafkaException, Message, Producer

from kit.errors import Unavailable
from kit.kafka import kafka_connection
from kit.settings import Settings
from schema.dead_letter import DeadLetter

DELIVERY_SECONDS = 10.0
LARGEST_BYTES = 100 * 2**20
"""More than the loader can consume: what came in compressed goes out again compressed."""

Report: TypeAlias = Callable[[KafkaError | None, Message], None]


class Undertaker:
    """Used by several threads at once."""

    def __init__(self, settings: Settings) -> None:
        self._topic = settings.kafka_dead_topic
        self._producer = Producer(_config(settings), logger=logging.getLogger("librdkafka"))

    def bury(self, letters: list[DeadLetter]) -> None:
        """Returns when all in-sync replicas have all of them.

        Raises Unavailable otherwise: call again. What was written then is written twice, under the same origin.
        """
        outcomes: list[KafkaError | None] = []

        def report(error: KafkaError | None, _message: Message) -> None:
            outcomes.append(error)

        try:
            for letter in letters:
                self._produce(letter, report)
        except KafkaException as error:
            raise Unavailable(f"a dead letter was not taken: {error.args[0].str()}") from error
        finally:
            self._producer.flush(DELIVERY_SECONDS + 1)
        failed = next((error for error in outcomes if error is not None), None)
        if failed is not None:
            raise Unavailable(f"a dead letter was not taken: {failed.str()}")
        if len(outcomes) < len(letters):
            raise Unavailable(f"Kafka did not confirm dead letters in {DELIVERY_SECONDS:g} s")

    def _produce(self, letter: DeadLetter, report: Report) -> None:
        while True:
            try:
                self._producer.produce(
                    self._topic, letter.value, key=letter.key, headers=letter.to_headers(), on_delivery=report
                )
            except BufferError:
                # Full of letters that are on their way.
                self._producer.poll(0.1)
            else:
                return


def _config(settings: Settings) -> dict[str, str | int | bool]:
    return {
        **kafka_connection(settings),
        "acks": "all",
        "compression.type": "zstd",
        "message.max.bytes": LARGEST_BYTES,
        "message.timeout.ms": int(DELIVERY_SECONDS * 1000),
        "reconnect.backoff.ms": 500,
        "reconnect.backoff.max.ms": 2_000,
    }
