from confluent_kafka import Message

from ingest.loader.decode import decode_or_dead_letter
from schema.coordinates import LogPosition, TopicId
from schema.dead_letter import DeadLetter, Origin

TOPIC = TopicId("ab" * 16)


def test_the_origin_of_a_dead_letter_has_the_leader_epoch_of_its_message() -> None:
    letter = decode_or_dead_letter(Message(value=b"?"), TOPIC, 3, LogPosition(7, leader_epoch=2))
    assert isinstance(letter, DeadLetter)
    assert letter.origin == Origin(TOPIC.text, 3, 7, leader_epoch=2)
