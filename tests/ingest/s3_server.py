"""A real S3 server, and a ClickHouse node whose cold volume is a bucket of it."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import httpx2
import pytest

from kit.settings import Settings
from stack.clickhouse.node import node
from stack.clickhouse.prepare import command, environment, prepare
from tests.eventually import eventually
from tests.running_stack import borrowed_offset, borrowed_ports

PROGRAM: Final = "versitygw"
INSTALL: Final = "go install github.com/versity/versitygw/cmd/versitygw@v1.8.0"
BUCKET: Final = "logsieve"

_KEY, _SECRET = "cold-volume", "cold-volume-secret"
_WAIT_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Bucket:
    """A bucket of a running S3 server. Its objects are files in `folder`."""

    url: str
    folder: Path


@contextmanager
def s3_bucket(folder: Path) -> Iterator[Bucket]:
    """Yields a new bucket of a server that keeps it in a folder. Skips the test if the server is not installed."""
    program = shutil.which(PROGRAM)
    if program is None:
        pytest.skip(f"this test needs an S3 server: {INSTALL}")
    with borrowed_ports(1) as [port]:
        yield from _running(program, folder, f"127.0.0.1:{port}")


def _running(program: str, folder: Path, address: str) -> Iterator[Bucket]:
    bucket = Bucket(f"http://{address}/{BUCKET}/", folder / "buckets" / BUCKET)
    bucket.folder.mkdir(parents=True)
    (folder / "sidecar").mkdir()
    options = ["--quiet", "--port", address, "--access", _KEY, "--secret", _SECRET]
    backend = ["posix", "--sidecar", str(folder / "sidecar"), str(bucket.folder.parent)]
    with (
        (folder / "s3.log").open("w") as log,
        subprocess.Popen([program, *options, *backend], stdout=log, stderr=log) as server,
    ):
        try:
            eventually(lambda: _answers(f"http://{address}/"), "the S3 server answers", _WAIT_SECONDS)
            yield bucket
        finally:
            server.terminate()


@contextmanager
def clickhouse_with_bucket(home: Path, bucket: Bucket) -> Iterator[Settings]:
    """Yields the settings of a running ClickHouse, whose cold volume is the bucket."""
    with borrowed_offset() as offset:
        settings = Settings(home=home, port_offset=offset, lanes=1, cold_folder=home / "unused")
        own = node(settings)
        logs = home / "logs"
        logs.mkdir(parents=True)
        prepare(settings, own, logs)
        folder = f"<path>{home / 'unused' / 'node-0'}/</path>"
        s3 = (
            f"<type>s3</type><endpoint>{bucket.url}</endpoint><access_key_id>{_KEY}</access_key_id>"
            f"<secret_access_key>{_SECRET}</secret_access_key><region>us-east-1</region>"
        )
        config = own.config_file.read_text()
        assert folder in config
        own.config_file.write_text(config.replace(folder, s3))
        with (
            (logs / "clickhouse.log").open("w") as log,
            subprocess.Popen(command(own), env=environment(settings), stdout=log, stderr=log) as server,
        ):
            try:
                ping = f"{settings.clickhouse_http_url}/ping"
                eventually(lambda: _answers(ping), "ClickHouse answers", _WAIT_SECONDS)
                yield settings
            finally:
                server.terminate()


def _answers(url: str) -> bool:
    try:
        httpx2.get(url, timeout=5)
    except httpx2.TransportError:
        return False
    return True
