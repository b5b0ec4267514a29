"""Tests that a proxy of the environment sees no request to a server on this machine."""

import asyncio
import contextlib
import os
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from kit.clickhouse import Account, connect, connect_async
from kit.errors import LogsieveError
from kit.settings import Settings
from stack import supervisor
from stack.cli import entry
from stack.clickhouse import serve
from stack.health import http_health
from stack.proxy_exemption import exempt_from_proxy
from stack.samples.send import send_samples

OWN = "localhost,127.0.0.1,::1"


class Server(ThreadingHTTPServer):
    """Answers each request on loopback with an empty text, and keeps the first lines of all requests."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.requests: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        assert isinstance(self.server, Server)
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.requests.append(self.requestline)
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_POST = do_GET  # noqa: N815 as http.server names it

    def log_message(self, *_arguments: object) -> None:
        """Logs nothing."""


@contextlib.contextmanager
def started() -> Iterator[Server]:
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def proxy(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """Yields a server that the environment names as the proxy for all requests."""
    with started() as server:
        for name in ("http_proxy", "https_proxy", "all_proxy"):
            monkeypatch.setenv(name, server.url)
            monkeypatch.setenv(name.upper(), server.url)
        # Empty instead of deleted, so that monkeypatch removes what the test sets.
        for name in ("no_proxy", "NO_PROXY"):
            monkeypatch.setenv(name, "")
        yield server


@pytest.fixture
def own() -> Iterator[Server]:
    """Yields a server of the stack."""
    with started() as server:
        yield server


def test_requests_to_own_servers_go_to_them(
    proxy: Server, own: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings(home=tmp_path, port_offset=0, clickhouse_http_port=own.server_port)
    for name in (serve.USER, serve.PASSWORD):
        monkeypatch.setenv(name, "secret")
    monkeypatch.setattr(os, "_exit", lambda _code: pytest.fail("the request failed"))
    serve._cancel(own.server_port)
    assert len(own.requests) == 1

    exempt_from_proxy()
    with contextlib.suppress(LogsieveError):
        connect(settings)
    assert len(own.requests) > 1
    own.requests.clear()
    with contextlib.suppress(LogsieveError):
        asyncio.run(close_after_connecting(settings))
    assert own.requests
    own.requests.clear()
    assert http_health(settings, own.server_port, tls=False)() is None
    assert own.requests == ["GET /readyz HTTP/1.1"]
    send_samples(own.url, "key", count=500)
    assert own.requests[1:] == ["POST /v1/logs HTTP/1.1"]

    assert proxy.requests == []


async def close_after_connecting(settings: Settings) -> None:
    client = await connect_async(settings, Account.owner)
    await client.close()


def test_requests_to_ipv6_loopback_go_to_no_proxy(tmp_path: Path, proxy: Server) -> None:
    exempt_from_proxy()

    assert http_health(Settings(home=tmp_path, bind_host="::1"), 9, tls=False)() is not None
    assert proxy.requests == []


@pytest.mark.usefixtures("proxy")
@pytest.mark.parametrize(
    ("lower", "upper", "expected"),
    [
        ("", "", (OWN, OWN)),
        ("", "db.example, .corp", (f"db.example,.corp,{OWN}", f"db.example,.corp,{OWN}")),
        ("a.example", "b.example", (f"a.example,{OWN}", f"b.example,{OWN}")),
        ("127.0.0.1", "", ("127.0.0.1,localhost,::1", "127.0.0.1,localhost,::1")),
        ("*", "*", ("*", "*")),
        ("*,foo", "", (f"*,foo,{OWN}", f"*,foo,{OWN}")),
    ],
)
def test_hosts_that_are_exempt_already_stay(
    monkeypatch: pytest.MonkeyPatch, lower: str, upper: str, expected: tuple[str, str]
) -> None:
    monkeypatch.setenv("no_proxy", lower)
    monkeypatch.setenv("NO_PROXY", upper)

    exempt_from_proxy()

    assert (os.environ["no_proxy"], os.environ["NO_PROXY"]) == expected


@pytest.mark.usefixtures("proxy")
def test_every_command_and_the_supervisor_exempt_this_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["logsieve", "--help"])
    with pytest.raises(SystemExit):
        entry.main()
    assert capsys.readouterr().out
    assert os.environ["no_proxy"] == OWN

    async def supervise(*_: object) -> None:
        """Starts nothing."""

    monkeypatch.setattr(supervisor, "supervise", supervise)
    monkeypatch.setattr(supervisor, "configure_logging", lambda _level: None)
    monkeypatch.setattr(sys, "argv", ["supervisor"])
    monkeypatch.setenv("LOGSIEVE_HOME", str(tmp_path))
    monkeypatch.setenv("LOGSIEVE_BIND_HOST", "fd00::5")
    supervisor.main()
    assert os.environ["no_proxy"] == f"{OWN},fd00::5"


def test_without_a_proxy_the_environment_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.lower().endswith("_proxy")]:
        monkeypatch.delenv(name)

    exempt_from_proxy()

    assert not {"no_proxy", "NO_PROXY"} & os.environ.keys()
