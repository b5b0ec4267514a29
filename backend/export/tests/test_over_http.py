"""Tests over a real connection: a failed CSV export has no end mark, and one whose client stops reading is ended."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import httpx2
import pytest
import uvicorn
from fastapi import FastAPI
from fastapi.responses import StreamingResponse

from backend.answers.resources import Resources
from backend.export.formats import FileForm, Format
from backend.export.service import PAGE_ROWS, ExportService, started
from backend.export.tests.test_broken_off import RANGE, TENANT, fail_at, valid
from backend.store.order import Order
from backend.store.scroll import ScrollReader
from backend.store.tests.fake_log_store import FakeLogStore, stored_row
from kit.clock import SystemClock
from kit.errors import Unavailable
from kit.settings import Settings


@contextmanager
def served(store: FakeLogStore) -> Iterator[str]:
    """Yields the URL of a server whose only path is the export as CSV."""
    app = FastAPI()
    service = ExportService(Settings(), ScrollReader(store), SystemClock(), Resources.of(Settings(), SystemClock()))

    @app.get("/")
    async def export() -> StreamingResponse:
        pieces = service.stream(lambda: TENANT, "", RANGE, Order.asc, FileForm(Format.csv))
        return StreamingResponse(await started(pieces, Format.csv, valid))

    listening = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, timeout_graceful_shutdown=1))
    thread = threading.Thread(target=server.run, args=([listening],))
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/"
    finally:
        server.should_exit = True
        thread.join()
        listening.close()


def test_a_csv_export_that_fails_breaks_off() -> None:
    received = b""
    with served(fail_at(3, Unavailable("unreachable"))) as url, httpx2.stream("GET", url) as answer:
        assert answer.status_code == 200
        with pytest.raises(httpx2.RemoteProtocolError):  # noqa: PT012 what came before the end counts
            for piece in answer.iter_bytes():
                received += piece

    assert received.count(b"\r\n") == 1 + 2 * PAGE_ROWS


def test_a_client_that_disconnects_stops_the_reading() -> None:
    rows = [stored_row(number, number, "x" * 2_000) for number in range(20 * PAGE_ROWS)]
    store = FakeLogStore(rows)
    with served(store) as url:
        with httpx2.stream("GET", url) as answer:
            next(answer.iter_bytes())
        deadline, requested = time.monotonic() + 10, 0
        while requested != (requested := len(store.requested)):
            assert time.monotonic() < deadline
            time.sleep(0.3)

        assert requested < 20
