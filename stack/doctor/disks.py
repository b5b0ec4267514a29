"""Checks the file systems of ClickHouse's volumes and of the broker that `up` started: bytes and inodes."""

import os
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from clickhouse_connect.driver.client import Client

from kit.settings import Settings
from stack.broker.node import brokers
from stack.doctor.finding import Bounds, Finding, Level, graded

FULL: Final = Bounds(
    0.85,
    0.95,
    "add disk space or shorten retentions (docs/operations/runbook.md, LogsieveDiskFull): inserts fail when a disk is"
    " full",
)
"""Used share of a file system. A merge needs as much free space as the parts that it merges, up to 150 GiB by default,
and ext4 gets slow when it is nearly full."""
INODES: Final = Bounds(
    0.85, 0.95, "reduce the number of parts, and so of files: use more lanes, fewer cohorts or shorter retentions"
)
"""Used share of a file system's inodes. Each part has a file for every few columns."""

_LOOPBACK: Final = {"127.0.0.1", "localhost", "::1"}
_INODES: Final = ("FilesystemMainPathAvailableINodes", "FilesystemMainPathTotalINodes")


def disk_findings(client: Client, url: str) -> list[Finding]:
    """Returns a finding for the space and one for the inodes of every local volume of the server at `url`."""
    rows = client.query(
        "SELECT name, path, free_space, total_space FROM system.disks WHERE lower(type) = 'local' ORDER BY name"
    ).result_rows
    findings = [judge_space(f"disk {name}", int(free), int(total)) for name, _, free, total in rows]
    return [*findings, *_inodes(client, url, [(str(name), Path(str(path))) for name, path, _, _ in rows])]


def broker_disk_findings(settings: Settings) -> list[Finding]:
    """Returns findings about the volume of the brokers that `up` starts; none for other brokers, because these do not
    report their disks."""
    folder = brokers(settings)[0].data
    if settings.kafka_bootstrap is not None or not folder.is_dir():
        return []
    found = os.statvfs(folder)
    space = judge_space("disk of Kafka", found.f_bavail * found.f_frsize, found.f_blocks * found.f_frsize)
    return [space, *judge_inodes("inodes of Kafka", found.f_favail, found.f_files)]


def judge_space(about: str, free: int, total: int) -> Finding:
    """Rates a volume by its free and total bytes."""
    if not total:
        return Finding(about, Level.ok, "the server does not know the volume's size")
    seen = f"{free / 2**30:.1f} of {total / 2**30:.1f} GiB are free ({free / total:.0%})"
    return graded(about, 1 - free / total, FULL, seen)


def judge_inodes(about: str, free: int, total: int) -> list[Finding]:
    """Rates a file system by its free inodes. Returns nothing for a file system without a fixed number of inodes."""
    if not total:
        return []
    return [graded(about, 1 - free / total, INODES, f"{free} of {total} inodes are free ({free / total:.0%})")]


def _inodes(client: Client, url: str, volumes: list[tuple[str, Path]]) -> list[Finding]:
    """Returns findings about inodes: of the server's main volume if the server reports them, otherwise of the volumes
    that this machine can see."""
    if client.command("EXISTS TABLE system.asynchronous_metrics"):
        rows = client.query(
            "SELECT metric, value FROM system.asynchronous_metrics WHERE metric IN {names:Array(String)}",
            parameters={"names": list(_INODES)},
        ).result_rows
        values = {str(metric): int(value) for metric, value in rows}
        if set(values) == set(_INODES):
            return judge_inodes("inodes of ClickHouse", *(values[name] for name in _INODES))
    if urlsplit(url).hostname not in _LOOPBACK:
        return []
    findings: list[Finding] = []
    for name, path in volumes:
        if path.is_dir():
            found = os.statvfs(path)
            findings += judge_inodes(f"inodes of disk {name}", found.f_favail, found.f_files)
    return findings
