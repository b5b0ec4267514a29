"""Endpoints for operators and schedulers: /healthz (liveness), /readyz (readiness) and /metrics.

None of them needs a key, and none shows data of a tenant.
"""

import asyncio
import math
import socket
import threading
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import uvicorn
from prometheus_client import REGISTRY
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest
from prometheus_client.openmetrics import exposition as openmetrics
from prometheus_client.registry import Collector
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from kit.errors import Unavailable
from kit.loop_health import run_ages
from kit.server.config import http_config
from kit.server.connections import connection_of
from kit.server.limits import HttpLimits
from kit.server.listener import bind

Probe: TypeAlias = Callable[[], Awaitable[str | None]]
"""Checks one dependency. Returns None when it is ready, a Notice when it is ready for most requests, otherwise the
reason why it is not. May raise, and may hang."""


class Notice(str):
    """Result of a probe that /readyz shows although the dependency is ready for most requests."""

    __slots__ = ()


PATHS = ("/healthz", "/readyz", "/metrics")
PROBE_SECONDS = 2.0

RESULT_SECONDS = 1.0
"""Seconds for which /readyz repeats its last result, so that a flood of requests does not reach the dependencies."""

PAUSE_FACTOR = 9
"""Length of the pause after a text of /metrics, as a multiple of the time that writing the text took. A flood of
scrapes therefore costs at most a tenth of a processor."""
START_SECONDS = 10.0

_OPENMETRICS = "application/openmetrics-text"

OPS_LIMITS = HttpLimits(connections=256)
"""Limits of an operations port, which has few clients: schedulers and scrapers."""


def ops_routes(probes: Mapping[str, Probe]) -> list[Route]:
    """Returns the three routes, for any Starlette or FastAPI app.

    The answer of /readyz also has the age of its result in seconds, and for each background loop the seconds since its
    last run without an error.
    """
    readiness = Readiness(probes)

    async def healthz(_request: Request) -> Response:
        return JSONResponse({"status": "ok"})

    async def readyz(request: Request) -> Response:
        _release(request)
        result = await readiness.result()
        age = round(time.monotonic() - result.at, 1)
        answer = {"ready": result.ready, "checks": result.checks, "age_seconds": age, "loops": run_ages()}
        return JSONResponse(answer, status_code=200 if result.ready else 503)

    exposition = Exposition()

    async def metrics(request: Request) -> Response:
        _release(request)
        body, content_type = await exposition.read(request.headers.get("accept", ""))
        return Response(body, headers={"content-type": content_type})

    return [Route(path, endpoint) for path, endpoint in zip(PATHS, (healthz, readyz, metrics), strict=True)]


def _release(request: Request) -> None:
    """Lets a full port close the request's connection. Clients without a key could otherwise keep any number of them
    open."""
    if (connection := connection_of(request.scope)) is not None:
        connection.release()


@dataclass(frozen=True, slots=True)
class Form:
    """A form of the metrics' text: its content type and its encoder."""

    content_type: str
    encode: Callable[[Collector], bytes]


PLAIN = Form(CONTENT_TYPE_PLAIN_0_0_4, generate_latest)
OPENMETRICS = Form(openmetrics.CONTENT_TYPE_LATEST, openmetrics.generate_latest)


def form_of(accept: str) -> Form:
    """Returns OPENMETRICS if the header Accept contains it in version 1 or without a version, otherwise PLAIN.

    prometheus_client's own choice copies the version from the header into the content type. A client could then request
    any number of forms, and each would be a text that is kept.
    """
    accepted = (each for each in accept.lower().split(",") if _OPENMETRICS in each)
    return OPENMETRICS if any("version=0" not in each for each in accepted) else PLAIN


class Exposition:
    """Writes the metrics, one text at a time. Scrapes that wait for a text share it.

    Texts are not written concurrently, because OpenTelemetry's collector has one queue, and each text would take values
    of the other. After each text follows a pause of PAUSE_FACTOR times the time that the text took, because anybody may
    scrape without a key.
    """

    def __init__(self) -> None:
        self._writing = asyncio.Lock()
        self._pause_until = 0.0
        self._written: dict[Form, tuple[float, bytes]] = {}

    async def read(self, accept: str) -> tuple[bytes, str]:
        """Returns the metrics in the form that the header Accept requests, and the content type. The values are not
        older than the call."""
        form = form_of(accept)
        # The disconnect of a client must not release the lock, because the thread goes on writing.
        text = await asyncio.shield(asyncio.create_task(self._text(form, time.monotonic()), name="metrics"))
        return text, form.content_type

    async def _text(self, form: Form, called: float) -> bytes:
        async with self._writing:
            started, text = self._written.get(form, (-math.inf, b""))
            if started < called:
                await asyncio.sleep(max(0.0, self._pause_until - time.monotonic()))
                started = time.monotonic()
                text = await run_in_threadpool(form.encode, REGISTRY)
                ended = time.monotonic()
                self._pause_until = ended + PAUSE_FACTOR * (ended - started)
                self._written[form] = started, text
            return text


@dataclass(frozen=True, slots=True)
class ReadinessResult:
    """Result of one readiness check of all dependencies."""

    at: float
    """Time of the check on the monotonic clock, in seconds."""
    checks: dict[str, str]
    ready: bool


class Readiness:
    """Runs all probes in parallel, each with a timeout of 2 s. Callers share one result, which is kept for 1 s."""

    def __init__(self, probes: Mapping[str, Probe]) -> None:
        self._probes = probes
        self._last: ReadinessResult | None = None
        self._checking: asyncio.Task[ReadinessResult] | None = None

    async def result(self) -> ReadinessResult:
        """Returns the last result; checks again first if it is older than RESULT_SECONDS."""
        if self._last is not None and time.monotonic() - self._last.at < RESULT_SECONDS:
            return self._last
        if self._checking is None or self._checking.done():
            self._checking = asyncio.create_task(self._check_all(), name="readiness")
        # Callers share the check, so the disconnect of one client must not cancel it.
        self._last = await asyncio.shield(self._checking)
        return self._last

    async def _check_all(self) -> ReadinessResult:
        reasons = await asyncio.gather(*(_run_probe(probe) for probe in self._probes.values()))
        checks = {name: reason or "ok" for name, reason in zip(self._probes, reasons, strict=True)}
        ready = all(reason is None or isinstance(reason, Notice) for reason in reasons)
        return ReadinessResult(time.monotonic(), checks, ready)


async def _run_probe(probe: Probe) -> str | None:
    try:
        async with asyncio.timeout(PROBE_SECONDS):
            return await probe()
    except TimeoutError:
        return f"no answer in {PROBE_SECONDS:g} s"
    except Exception as error:  # any exception of a probe becomes its reason
        return f"{type(error).__name__}: {error}"


class OpsServer:
    """Operations port, in its own thread, of a process that has no other HTTP port."""

    def __init__(self, server: uvicorn.Server, listener: socket.socket) -> None:
        self._server = server
        self._listener = listener
        self.port: int = listener.getsockname()[1]
        self._thread = threading.Thread(target=server.run, args=([listener],), name="ops-server", daemon=True)

    def start(self) -> None:
        """Starts the thread and returns when the port answers. Raises Unavailable if it does not within 10 s."""
        self._thread.start()
        deadline = time.monotonic() + START_SECONDS
        while not self._server.started:
            if not self._thread.is_alive() or time.monotonic() > deadline:
                raise Unavailable("the operations port did not start; the log has the reason")
            time.sleep(0.01)

    def stop(self) -> None:
        """Stops listening and waits a few seconds for requests that are being answered."""
        self._server.should_exit = True
        self._thread.join(timeout=5)
        self._listener.close()


def serve_ops(host: str, port: int, probes: Mapping[str, Probe]) -> OpsServer:
    """Serves the three routes on a port of their own. Port 0 takes a free one.

    Probes run on the server's own event loop, in its thread, so they must not use objects of another loop. Raises
    Conflict when the port is taken.
    """
    listener = bind(host, port, "/healthz, /readyz and /metrics")
    config = http_config(Starlette(routes=ops_routes(probes)), OPS_LIMITS, 2)
    server = OpsServer(uvicorn.Server(config), listener)
    server.start()
    return server
