import os
import re
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from kit.errors import Conflict
from kit.settings import Settings
from stack import ports
from stack.ports import PortNeed, check_ports, claim_offset, free_offset, is_free, release_offset
from stack.services import services
from tests.running_stack import borrowed_ports


def test_port_that_is_listened_on_is_not_free() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert not is_free("127.0.0.1", port)
    assert is_free("127.0.0.1", port)


def test_every_taken_port_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as one, socket.create_server(("127.0.0.1", 0)) as two:
        needs = [
            PortNeed("127.0.0.1", server.getsockname()[1], name, "tests", "LOGSIEVE_X_PORT")
            for name, server in (("first", one), ("second", two))
        ]
        with pytest.raises(Conflict) as raised:
            check_ports(needs, offset=0)
    for need in needs:
        assert f"port {need.port}, which {need.service} needs for tests, is taken" in raised.value.detail
    assert "LOGSIEVE_PORT_OFFSET" in raised.value.detail


def test_port_beyond_the_highest_counts_as_taken() -> None:
    with pytest.raises(Conflict, match="port 70000"):
        check_ports([PortNeed("127.0.0.1", 70000, "api", "tests", "LOGSIEVE_X_PORT")], offset=60000)


def test_suggested_offset_counts_from_the_base_ports() -> None:
    with borrowed_ports(1) as [taken], socket.create_server(("127.0.0.1", taken)):
        needs = [PortNeed("127.0.0.1", 5000 + 7, "api", "tests", "LOGSIEVE_X_PORT")]
        offset = free_offset(needs, offset=7, first=taken - 5000)
        assert offset is not None
        assert offset > taken - 5000
        assert is_free("127.0.0.1", 5000 + offset)


def test_an_offset_is_claimed_by_one_process_until_it_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ports, "_CLAIMABLE", range(10_000, 10_200, 100))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    script = (
        "from stack import ports\n"
        "ports._CLAIMABLE = range(10_000, 10_200, 100)\n"
        "print(ports.claim_offset([]), flush=True)\n"
        "input()"
    )
    other = subprocess.Popen(
        [sys.executable, "-c", script],
        env={**os.environ, "TMPDIR": str(tmp_path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert other.stdout is not None
    theirs = int(other.stdout.readline())
    assert {theirs, claim_offset([])} == {10_000, 10_100}
    with pytest.raises(Conflict, match="LOGSIEVE_PORT_OFFSET"):
        claim_offset([])
    other.communicate("\n")
    assert claim_offset([]) == theirs
    release_offset(theirs)
    assert claim_offset([]) == theirs


def test_stacks_at_different_claimed_offsets_share_no_port() -> None:
    step = ports._CLAIMABLE.step
    settings = Settings(port_offset=0, clickhouse_nodes=4, clickhouse_replicas=2, receiver_workers=2, kafka_nodes=3)
    needed = [need.port for service in services(settings) for need in service.ports]
    assert len({port % step for port in needed}) == len(needed)


def test_a_port_of_a_foreign_address_is_not_called_taken() -> None:
    expected = r"port 4318 of 192\.0\.2\.1, which .* cannot be used: .*LOGSIEVE_BIND_HOST"
    with pytest.raises(Conflict, match=expected) as raised:
        check_ports([PortNeed("192.0.2.1", 4318, "receiver", "tests", "LOGSIEVE_X_PORT")], offset=0)
    assert "LOGSIEVE_PORT_OFFSET" not in raised.value.detail


@pytest.mark.parametrize(
    ("numbers", "port", "one", "other"),
    [
        ({"receiver_workers": 34}, 8123, "clickhouse for HTTP (LOGSIEVE_CLICKHOUSE_HTTP_PORT)", "RECEIVER_OPS_PORT"),
        ({"clickhouse_replicas": 9}, 8089, "loader-8 for its operations routes (LOGSIEVE_LOADER_PORT)", "ALERTS_PORT"),
        (
            {"clickhouse_nodes": 9, "api_workers": 8},
            8203,
            "clickhouse-8 for HTTP (LOGSIEVE_CLICKHOUSE_HTTP_PORT)",
            "API_OPS_PORT",
        ),
    ],
)
def test_two_services_with_one_port_are_named(numbers: dict[str, int], port: int, one: str, other: str) -> None:
    every = services(Settings(port_offset=0).model_copy(update=numbers))

    with pytest.raises(Conflict) as raised:
        check_ports([need for service in every for need in service.ports], offset=0)

    expected = rf"port {port} is needed by {re.escape(one)} and by \S+ for [\w' ]+ \(LOGSIEVE_{other}\)"
    assert re.search(expected, raised.value.detail)
    assert "OFFSET" not in raised.value.detail


def test_one_port_of_two_addresses_is_not_needed_twice() -> None:
    needs = [PortNeed(f"127.0.0.{number}", 0, "api", "tests", "LOGSIEVE_X_PORT") for number in (1, 2)]
    check_ports(needs, offset=0)

    with pytest.raises(Conflict, match="port 0 is needed by api for tests"):
        check_ports([*needs, PortNeed("0.0.0.0", 0, "loader", "tests", "LOGSIEVE_X_PORT")], offset=0)
