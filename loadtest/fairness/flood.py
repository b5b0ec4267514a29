"""Runs a tenant, in a separate process, that sends as fast as answers come and ignores the requested waits."""

import threading
from collections import Counter
from multiprocessing import get_context
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Event
from typing import Final

import httpx2

FLOODERS: Final = 4
_ANSWER_SECONDS: Final = 30.0


class Flood:
    """Runs from `start` to `stop`; separate from the process that measures, so that they share no interpreter."""

    def __init__(self, address: tuple[str, int], ingest_key: str, body: bytes) -> None:
        url = f"http://{address[0]}:{address[1]}/v1/logs"
        headers = {"authorization": f"Bearer {ingest_key}", "content-type": "application/x-protobuf"}
        context = get_context("spawn")
        self._stopping = context.Event()
        self._counts: Queue[dict[int, int]] = context.Queue()
        self._process = context.Process(target=_flood, args=(url, headers, body, self._stopping, self._counts))

    def start(self) -> None:
        self._process.start()

    def stop(self) -> dict[int, int]:
        """Returns how often each status was answered; 0 stands for a connection that failed."""
        self._stopping.set()
        answers = self._counts.get(timeout=2 * _ANSWER_SECONDS)
        self._process.join()
        return answers


def _flood(url: str, headers: dict[str, str], body: bytes, stopping: Event, counts: "Queue[dict[int, int]]") -> None:
    answers = [Counter[int]() for _ in range(FLOODERS)]
    threads = [threading.Thread(target=_send, args=(url, headers, body, stopping, count)) for count in answers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    counts.put(dict(sum(answers, Counter[int]())))


def _send(url: str, headers: dict[str, str], body: bytes, stopping: Event, answers: Counter[int]) -> None:
    with httpx2.Client(headers=headers, timeout=_ANSWER_SECONDS) as http:
        while not stopping.is_set():
            try:
                answers[http.post(url, content=body).status_code] += 1
            except httpx2.TransportError:
                answers[0] += 1
