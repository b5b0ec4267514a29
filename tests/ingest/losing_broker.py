"""A broker of the tests' own whose newest messages can be removed, as a broker loses them without power."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kit.settings import Settings
from stack.broker.node import Broker, brokers
from stack.broker.prepare import command, prepare
from stack.health import kafka_health
from stack.ports import release_offset
from tests.eventually import eventually
from tests.running_stack import free_offset

READY_SECONDS: Final = 90
_ENDED_CLEANLY: Final = ".kafka_cleanshutdown"
"""File without which a broker examines the ends of its logs when it starts."""


@dataclass(slots=True)
class LosingBroker:
    """The broker's settings and its process."""

    settings: Settings
    _broker: Broker
    _process: subprocess.Popen[bytes]

    def pipeline_settings(self) -> dict[str, str]:
        """Returns the settings with which a pipeline uses this broker."""
        return {"KAFKA_BOOTSTRAP": self.settings.kafka_brokers, "KAFKA_PASSWORD": self.settings.kafka_secret}

    def lose(self, messages: int, *topics: str) -> None:
        """Ends the broker, removes the newest messages of partition 0 of the topics, and starts the broker again.

        Each message must have been acknowledged before the next one was sent, so that it is a record batch of its own.
        """
        # After a kill, the controller would wait for the end of the broker's session, which takes 9 s.
        self._process.terminate()
        self._process.wait(60)
        (self._broker.data / _ENDED_CLEANLY).unlink()
        for topic in topics:
            [segment] = (self._broker.data / f"{topic}-0").glob("*.log")
            with segment.open("r+b") as file:
                file.truncate(_end_without(segment.read_bytes(), messages))
        self._process = _start(self.settings, self._broker)

    def stop(self) -> None:
        self._process.kill()
        self._process.wait(60)


@contextmanager
def losing_broker(home: Path) -> Iterator[LosingBroker]:
    """Yields a running broker in this home, which is killed after the block."""
    offset = free_offset()
    settings = Settings(home=home, port_offset=offset)
    [own] = brokers(settings)
    prepare(settings, own)
    broker = LosingBroker(settings, own, _start(settings, own))
    try:
        yield broker
    finally:
        broker.stop()
        release_offset(offset)


def _start(settings: Settings, broker: Broker) -> "subprocess.Popen[bytes]":
    process = subprocess.Popen(command(broker), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    eventually(lambda: kafka_health(settings)() is None, "the broker is ready", seconds=READY_SECONDS)
    return process


def _end_without(segment: bytes, messages: int) -> int:
    """Returns the size of a segment without its newest record batches.

    A batch has its first offset in 8 bytes, then the length of its rest in 4:
    https://kafka.apache.org/documentation/#recordbatch
    """
    ends = [0]
    while ends[-1] < len(segment):
        ends.append(ends[-1] + 12 + int.from_bytes(segment[ends[-1] + 8 : ends[-1] + 12], "big"))
    return ends[-1 - messages]
