"""A client of live tails, which reads events and their ids over plain HTTP."""

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx2

from kit.tls import trusted
from stack.client.log_tail import lines_of
from tests.running_stack import Stack

HEARTBEATS = 12


@dataclass(frozen=True, slots=True)
class Event:
    """An event of a stream. `data` is None for a heartbeat."""

    name: str | None
    id: str | None
    data: dict[str, Any] | None


class TailClient:
    """An open stream of events."""

    def __init__(self, answer: httpx2.Response) -> None:
        self._lines = lines_of(answer.iter_text())

    def next(self) -> Event:
        """Returns the next event, which may be a heartbeat. Raises StopIteration at the end of the stream."""
        fields: dict[str, str] = {}
        for line in self._lines:
            if line:
                name, _, value = line.partition(": ")
                fields[name] = value
            elif fields:
                data = fields.get("data")
                return Event(fields.get("event"), fields.get("id"), None if data is None else json.loads(data))
        raise StopIteration

    def event(self) -> Event:
        """Returns the next event that is not a heartbeat. Fails the test after HEARTBEATS heartbeats without one."""
        for _ in range(HEARTBEATS):
            if (event := self.next()).data is not None:
                return event
        raise AssertionError("only heartbeats come")

    def logs(self, count: int) -> list[Event]:
        """Returns the next `count` records. An event that is neither a record nor a heartbeat fails the test."""
        found = [self.event() for _ in range(count)]
        assert {event.name for event in found} <= {"log"}, found
        return found


def bodies(events: Iterable[Event]) -> list[str]:
    """Returns the bodies of the records among the events."""
    return [str(event.data["body"]) for event in events if event.name == "log" and event.data is not None]


@contextmanager
def tail(stack: Stack, key: str, query: str, after: str | None = None) -> Iterator[TailClient]:
    """Yields an open tail. Fails the test with the answer's text if the API refuses it.

    `after` is the id of the last event before a reconnect. Of a new tail, the event `open` has been read.
    """
    headers = {"Authorization": f"Bearer {key}"} | ({} if after is None else {"Last-Event-ID": after})
    timeout = httpx2.Timeout(10, read=30)
    with httpx2.stream(
        "GET", f"{stack.api_url}/logs/tail", params={"query": query}, headers=headers, timeout=timeout, verify=trusted()
    ) as answer:
        if answer.status_code != 200:
            raise AssertionError(answer.read().decode())
        client = TailClient(answer)
        if after is None:
            assert client.next().name == "open"
        yield client
