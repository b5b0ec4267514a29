"""Tests that each record which a busy receiver acknowledged before it was stopped by SIGTERM is stored exactly once."""

import os
import signal
import threading
import time
import uuid

import httpx2

from kit.tls import trusted
from stack.launch import running_state
from tests import otlp
from tests.eventually import eventually
from tests.ingest.stored import stored_rows
from tests.ingest.urls import http_url
from tests.running_stack import Stack

SENDERS = 4
BUSY_SECONDS = 1.0
BACK_SECONDS = 60.0


def test_what_was_acknowledged_before_sigterm_is_kept(stack: Stack) -> None:
    marker, url, ending = uuid.uuid4().hex, http_url(stack), threading.Event()
    acknowledged: list[str] = []
    statuses: set[int] = set()

    def send(sender: int) -> None:
        headers = {"Authorization": f"Bearer {stack.keys.ingest_key}"}
        with httpx2.Client(headers=headers, timeout=30, verify=trusted()) as client:
            for number in range(100_000):
                if ending.is_set():
                    return
                body = f"{marker} {sender}-{number}"
                try:
                    answer = client.post(url, json=otlp.request(otlp.record(body)))
                except httpx2.TransportError:  # the receiver is down, and may or may not have kept this record
                    time.sleep(0.1)
                    continue
                statuses.add(answer.status_code)
                if answer.status_code == 200:
                    acknowledged.append(body)

    threads = [threading.Thread(target=send, args=(number,)) for number in range(SENDERS)]
    for thread in threads:
        thread.start()
    time.sleep(BUSY_SECONDS)
    before = len(acknowledged)
    pid = stack.pid("receiver")
    os.kill(pid, signal.SIGTERM)
    eventually(lambda: _back(stack, pid), "the receiver is back", BACK_SECONDS)
    time.sleep(BUSY_SECONDS)
    ending.set()
    for thread in threads:
        thread.join()
    assert 0 < before < len(acknowledged)
    assert statuses <= {200, 503}
    rows = stored_rows(stack, marker, len(acknowledged))
    assert sorted(row["body"] for row in rows) == sorted(acknowledged)


def _back(stack: Stack, old_pid: int) -> bool:
    state = running_state(stack.settings)
    receiver = None if state is None else state.service("receiver")
    if receiver is None or receiver.process is None or receiver.process.pid == old_pid:
        return False
    return receiver.phase == "ready"
