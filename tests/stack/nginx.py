"""Runs a real nginx with deploy/nginx/logsieve.conf, but with other ports."""

import re
import socket
import ssl
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kit.folders import PACKAGES
from stack.install.steps import nginx_binary
from tests.eventually import eventually
from tests.running_stack import borrowed_ports
from tests.tls.certificates import Certificate

CONFIGURATION: Final = PACKAGES / "deploy" / "nginx" / "logsieve.conf"

_FRAME: Final = """\
daemon off;
master_process off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/logsieve.conf;
}}
"""


@dataclass(frozen=True, slots=True)
class Nginx:
    """A running nginx. `ports` has, by each port that the file listens on, the port that is used instead."""

    ports: Mapping[int, int]
    access_log: Path


@contextmanager
def nginx(folder: Path, certificate: Certificate, upstreams: Mapping[int, int]) -> Iterator[Nginx]:
    """Runs nginx on free ports until the block ends.

    `upstreams` has, by each port of the file's upstreams, the port that is used instead.
    """
    listened = [int(port) for port in re.findall(r"(?m)^\s*listen (\d+) ", CONFIGURATION.read_text())]
    with borrowed_ports(len(listened)) as free:
        yield from _running(folder, certificate, upstreams, dict(zip(listened, free, strict=True)))


def _running(
    folder: Path, certificate: Certificate, upstreams: Mapping[int, int], ports: Mapping[int, int]
) -> Iterator[Nginx]:
    text = CONFIGURATION.read_text()
    text = re.sub(r"(?m)^(\s*listen )(\d+) ", lambda found: f"{found[1]}127.0.0.1:{ports[int(found[2])]} ", text)
    text = re.sub(r"(server 127\.0\.0\.1:)(\d+);", lambda found: f"{found[1]}{upstreams[int(found[2])]};", text)
    text = re.sub(r"(?m)^(ssl_certificate) .+$", rf"\1 {certificate.chain};", text)
    text = re.sub(r"(?m)^(ssl_certificate_key) .+$", rf"\1 {certificate.key};", text)
    text = re.sub(r"(?m)^( *access_log) \S+", rf"\1 {folder}/access.log", text)
    (folder / "logsieve.conf").write_text(text)
    program = nginx_binary()
    assert program is not None, "run `scripts/setup --tests`"
    (folder / "nginx.conf").write_text(_FRAME.format(folder=folder))
    command = [str(program), "-p", str(folder), "-e", str(folder / "error.log"), "-c", str(folder / "nginx.conf")]
    subprocess.run([*command, "-t"], check=True, capture_output=True, timeout=60)
    with subprocess.Popen(command, stdin=subprocess.DEVNULL) as process:
        try:
            eventually(lambda: process.poll() is None and all(map(_listens, ports.values())), "nginx listens")
            yield Nginx(ports, folder / "access.log")
        finally:
            process.terminate()


def trusting(authority: Path) -> ssl.SSLContext:
    """Returns the TLS context of a client that trusts only this authority."""
    return ssl.create_default_context(cafile=str(authority))


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0
