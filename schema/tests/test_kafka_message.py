from confluent_kafka import Message

from schema.kafka_message import Headers, headers_of

HEADERS: Headers = [("twice", b"\xff"), ("empty", None), ("twice", b"")]


def test_headers_come_in_order_with_those_that_are_there_twice() -> None:
    assert headers_of(Message(headers=HEADERS)) == HEADERS


def test_a_message_without_headers_has_an_empty_list() -> None:
    assert headers_of(Message()) == []


def test_the_list_is_the_callers_own() -> None:
    message = Message(headers=HEADERS)
    headers_of(message).clear()
    assert headers_of(message) == HEADERS
