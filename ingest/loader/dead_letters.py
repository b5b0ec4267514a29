"""Writes dead letters to their topic. Nothing is committed past a message before its dead letter is confirmed."""

from functools import partial

from confluent_kafka import KafkaError, KafkaException, Message

from ingest.dead.producer import dead_letter_producer, retry_while_full
from kit.errors import Unavailable
from kit.settings import Settings
from schema.dead_letter import DeadLetter

DELIVERY_SECONDS = 10.0


class DeadLetterProducer:
    """Producer of the dead-letter topic, for several threads."""

    def __init__(self, settings: Settings) -> None:
        self._topic = settings.kafka_dead_topic
        self._producer = dead_letter_producer(settings, DELIVERY_SECONDS)

    def write(self, dead_letters: list[DeadLetter]) -> None:
        """Writes the dead letters. Returns when all in-sync replicas have them.

        Raises Unavailable otherwise. A letter that is written again has the same origin, so that readers recognise the
        repeat.
        """
        outcomes: list[KafkaError | None] = []

        def report(error: KafkaError | None, _message: Message) -> None:
            outcomes.append(error)

        try:
            for letter in dead_letters:
                send = partial(
                    self._producer.produce,
                    self._topic,
                    letter.value,
                    key=letter.key,
                    headers=letter.to_headers(),
                    on_delivery=report,
                )
                retry_while_full(self._producer, send)
        except KafkaException as error:
            raise Unavailable(f"Kafka did not take a dead letter: {error.args[0].str()}") from error
        finally:
            self._producer.flush(DELIVERY_SECONDS + 1)
        failed = next((error for error in outcomes if error is not None), None)
        if failed is not None:
            raise Unavailable(f"Kafka did not take a dead letter: {failed.str()}")
        if len(outcomes) < len(dead_letters):
            raise Unavailable(f"Kafka did not confirm dead letters in {DELIVERY_SECONDS:g} s")
