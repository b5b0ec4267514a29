"""Makes a node's folder ready to start: password, config files, and a system database that survives a restart."""

import hashlib
import os
import secrets
import shutil
import subprocess
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kit.errors import Conflict, Unavailable
from kit.module_command import module_command
from kit.settings import Settings
from stack.clickhouse.config import COLD_DISK, Cluster, render_config, render_users
from stack.clickhouse.node import Node, nodes
from stack.clickhouse.serve import PASSWORD, USER
from stack.files import create_once, write_atomically
from stack.runtime import INSTALL_COMMAND, engine_library

_VERSION_SECONDS: Final = 20
OLDEST_SERVER: Final = (26, 2)
"""Oldest release that has the text index. An older `clickhouse` on PATH is ignored."""

NICENESS: Final = 5
"""Niceness of a node relative to the other processes of the stack. Statements of searches have many threads; receiver,
broker and loader have few, and their clients wait for each answer."""


@dataclass(frozen=True, slots=True)
class Engine:
    """Program that runs a node: a `clickhouse` binary, or the library that scripts/setup installs."""

    program: Path
    embedded: bool


def find_engine() -> Engine:
    """Returns a recent `clickhouse` on PATH, else the installed library. Raises Unavailable when there is neither."""
    binary = shutil.which("clickhouse")
    if binary is not None and _server_version(binary) >= OLDEST_SERVER:
        return Engine(Path(binary), embedded=False)
    if library := engine_library():
        return Engine(library, embedded=True)
    raise Unavailable(
        f"there is no ClickHouse to start: run `{INSTALL_COMMAND}`, put a `clickhouse` binary "
        f"({'.'.join(map(str, OLDEST_SERVER))} or newer) on PATH, or set LOGSIEVE_CLICKHOUSE_URL"
    )


def _server_version(binary: str) -> tuple[int, ...]:
    """Returns the major and minor version of a `clickhouse` binary; (0,) if it prints none.

    Raises Unavailable if it does not end in time, as on a machine that is short of memory.
    """
    question = [binary, "server", "--version"]
    try:
        answer = subprocess.run(question, capture_output=True, text=True, timeout=_VERSION_SECONDS, check=False)
    except subprocess.TimeoutExpired as error:
        raise Unavailable(f"`{' '.join(question)}` did not answer in {_VERSION_SECONDS} s") from error
    words = [word for word in answer.stdout.split() if word[:1].isdigit()]
    try:
        return tuple(int(part) for part in words[0].split(".")[:2]) if words else (0,)
    except ValueError:
        return (0,)


def read_password(settings: Settings) -> str:
    """Returns the nodes' password.

    Generates its file (mode 0600) on the first call, once for nodes prepared in parallel.
    """
    if not settings.clickhouse_secret:
        create_once(settings.clickhouse_secret_file, secrets.token_urlsafe(24) + "\n", mode=0o600)
    return settings.clickhouse_secret


def read_query_password(settings: Settings) -> str:
    """Returns the password of the query user. Generates its file (mode 0600) on the first call."""
    if not settings.clickhouse_query_secret:
        create_once(settings.clickhouse_query_secret_file, secrets.token_urlsafe(24) + "\n", mode=0o600)
    return settings.clickhouse_query_secret


def prepare(settings: Settings, node: Node, logs: Path) -> None:
    """Writes the files that the node reads at its start. Can be repeated, and keeps data.

    Raises Unavailable when there is no engine or the cold folder is gone, Conflict when the nodes have another one.
    """
    engine = find_engine()
    node.data.mkdir(parents=True, exist_ok=True, mode=0o700)
    password = read_password(settings)
    cluster, cold = cluster_of(settings, node), cold_folder_of(settings, node)
    config = render_config(node, logs, settings.clickhouse_memory_limit, cluster, cold)
    write_atomically(node.config_file, config, mode=0o600)
    users = render_users(settings, password, read_query_password(settings), engine.embedded)
    write_atomically(node.users_file, users, mode=0o600)
    # Without this file clickhouse-local keeps the system database in memory and then fails to create query_log over
    # the folder that the last start left (LocalServer.cpp loads `system` from disk only when the file is there).
    system = node.data / "metadata" / "system.sql"
    if engine.embedded and not system.exists():
        system.parent.mkdir(exist_ok=True)
        write_atomically(system, f"ATTACH DATABASE _ UUID '{uuid.uuid4()}'\nENGINE = Atomic\n", mode=0o600)


def cold_folder_of(settings: Settings, node: Node) -> Path | None:
    """Creates the folder of the node's cold volume, and remembers the setting for later starts, because the node cannot
    start without the parts there. Returns None if there is no cold volume.

    Raises Conflict when the nodes have a cold folder and the setting names another one, and Unavailable when the folder
    is missing although the node had it before, because searches would not find its parts.
    """
    folder = settings.own_cold_folder
    if folder is None:
        return None
    create_once(settings.own_cold_folder_file, f"{folder}\n", mode=0o600)
    known = settings.own_cold_folder_file.read_text().strip()
    if known != str(folder):
        raise Conflict(
            f"ClickHouse's cold partitions are in {known}, but LOGSIEVE_COLD_FOLDER is {folder}: to move them, run"
            f" `logsieve down`, move the folder, and write its new path into {settings.own_cold_folder_file}"
        )
    cold = folder / f"node-{node.name}"
    # Any path counts: a folder that was moved has another one, and a new path may be misspelt.
    had_one = node.config_file.exists() and COLD_DISK in node.config_file.read_text()
    if had_one and not cold.is_dir():
        raise Unavailable(
            f"the folder of ClickHouse's cold partitions is missing: mount its disk, so that {cold} is there again; if"
            f" you moved the folder, write its new path into {settings.own_cold_folder_file}"
        )
    cold.mkdir(parents=True, exist_ok=True, mode=0o700)
    return cold


def cluster_of(settings: Settings, node: Node) -> Cluster | None:
    """Returns the cluster of all nodes in the node's replica of the store; None if the replica has one node."""
    ports = tuple(each.native_port for each in nodes(settings) if each.place.replica == node.place.replica)
    if len(ports) == 1:
        return None
    # All nodes can derive the secret from the password. The password itself is not used, so that it is on disk in one
    # place only.
    secret = hashlib.sha256(b"between nodes: " + read_password(settings).encode()).hexdigest()
    return Cluster(settings.clickhouse_cluster, ports, secret)


def command(node: Node) -> list[str]:
    """Returns the command line of a prepared node. Raises Unavailable when there is no engine."""
    engine = find_engine()
    nicely = ["nice", "-n", str(NICENESS)]
    if not engine.embedded:
        return [*nicely, str(engine.program), "server", f"--config-file={node.config_file}"]
    ports = [str(node.http_port), str(node.native_port)]
    program = module_command("stack.clickhouse.serve", str(engine.program))
    return [*nicely, *program, str(node.config_file), str(node.data), *ports]


def environment(settings: Settings) -> dict[str, str]:
    """Returns the environment of a node process.

    The environment holds the password with which the node stops itself. Every user of the machine could read it from
    the command line.
    """
    return {USER: settings.clickhouse_user, PASSWORD: read_password(settings), "TZ": "UTC", "PATH": os.environ["PATH"]}
