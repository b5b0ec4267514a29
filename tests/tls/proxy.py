"""Adds TLS to a port without TLS, because the embedded ClickHouse cannot serve https itself.

`python -m tests.tls.proxy TARGET` runs the proxy. On standard input it reads lines `CHAIN KEY`, with paths of files.
After each line it serves that certificate to new connections, cuts the open ones, and prints its port.
"""

import asyncio
import ssl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from tests.tls.certificates import Certificate

CHUNK = 65_536


class TlsProxy:
    """Forwards TLS connections to a plain port, in a separate process."""

    def __init__(self, target: int, certificate: Certificate) -> None:
        self._command = [sys.executable, "-m", "tests.tls.proxy", str(target)]
        self._certificate = certificate
        self.port = 0

    def show(self, certificate: Certificate) -> None:
        """Serves this certificate to new connections, and cuts the open ones."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{certificate.chain} {certificate.key}\n")
        self._process.stdin.flush()
        self.port = int(self._process.stdout.readline())

    @contextmanager
    def running(self) -> Iterator["TlsProxy"]:
        """Listens on a free port of localhost until the block ends."""
        pipe = subprocess.PIPE
        with subprocess.Popen(self._command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True) as process:
            self._process = process
            try:
                self.show(self._certificate)
                yield self
            finally:
                process.kill()


class _Proxy:
    def __init__(self, target: int) -> None:
        self._target = target
        self._open: set[asyncio.StreamWriter] = set()

    async def run(self) -> None:
        """Runs until standard input ends."""
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        server: asyncio.Server | None = None
        while line := await asyncio.to_thread(sys.stdin.readline):
            context.load_cert_chain(*line.split())
            for writer in self._open:
                writer.transport.abort()
            server = server or await asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=context)
            sys.stdout.write(f"{server.sockets[0].getsockname()[1]}\n")
            sys.stdout.flush()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open.add(writer)
        with suppress(OSError):
            there, back = await asyncio.open_connection("127.0.0.1", self._target)
            await asyncio.gather(_pass(reader, back), _pass(there, writer))
        self._open.discard(writer)


async def _pass(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Copies bytes until the input ends, then closes the output."""
    with suppress(OSError):
        while chunk := await reader.read(CHUNK):
            writer.write(chunk)
            await writer.drain()
    writer.close()


if __name__ == "__main__":
    asyncio.run(_Proxy(int(sys.argv[1])).run())
