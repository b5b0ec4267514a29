"""Checks that the ports of a stack are free before it starts, and suggests others if they are not."""

import errno
import fcntl
import os
import random
import socket
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Final

from kit.errors import Conflict
from kit.stack_settings import HIGHEST_PORT

_EVERY_ADDRESS: Final = frozenset(("0.0.0.0", "::"))
_OFFSET_STEP: Final = 1000
_CLAIMABLE: Final = range(10_000, 23_500, 100)
"""Offsets with which all ports stay below the ports that Linux gives to outgoing connections."""
_claims: Final[dict[int, int]] = {}
"""Descriptors of locked files by offset. The kernel unlocks them when the process ends."""


@dataclass(frozen=True, slots=True)
class PortNeed:
    """A port, the service that needs it, and its purpose."""

    host: str
    port: int
    service: str
    purpose: str
    setting: str
    """Setting of the port, or of the first one of a range that the port belongs to."""


def is_free(host: str, port: int) -> bool:
    """Returns true if a server could listen on the port now."""
    return _refusal(host, port) is None


def _refusal(host: str, port: int) -> OSError | None:
    """Returns why no server could listen on the port now; None if one could."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        # Servers set this option as well. A closed server's lingering connections then do not block the port.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
            probe.listen(1)
        except OSError as error:
            return error
    return None


def check_ports(needs: Sequence[PortNeed], offset: int) -> None:
    """Raises Conflict if a port is needed twice, is taken, or cannot be used.

    The error names every such port with the services that need it. If ports are taken, it also names an offset at which
    all ports are free.
    """
    _require_different(needs)
    _require_usable(needs)
    taken = [need for need in needs if need.port > HIGHEST_PORT or not is_free(need.host, need.port)]
    if not taken:
        return
    sentences = [f"port {need.port}, which {need.service} needs for {need.purpose}, is taken" for need in taken]
    other = free_offset(needs, offset)
    advice = f"LOGSIEVE_PORT_OFFSET=N shifts all ports, and N={other} is free" if other is not None else ""
    raise Conflict("; ".join([*sentences, advice or "LOGSIEVE_PORT_OFFSET=N shifts all ports"]))


def _require_different(needs: Sequence[PortNeed]) -> None:
    """Raises Conflict if two services need a port of one address, because no offset moves one of them alone."""
    sentences = [
        f"port {one.port} is needed by {one.service} for {one.purpose} ({one.setting}) and by {other.service} for "
        f"{other.purpose} ({other.setting})"
        for one, other in combinations(needs, 2)
        if one.port == other.port and (one.host == other.host or _EVERY_ADDRESS & {one.host, other.host})
    ]
    if sentences:
        raise Conflict("; ".join([*sentences, "set one of the named settings to another port"]))


def _require_usable(needs: Sequence[PortNeed]) -> None:
    """Raises Conflict if a port cannot be used for another reason than that it is taken, such as its address."""
    sentences = [
        f"port {need.port} of {need.host}, which {need.service} needs for {need.purpose}, cannot be used: "
        f"{refusal.strerror or refusal}"
        for need in needs
        if need.port <= HIGHEST_PORT
        and (refusal := _refusal(need.host, need.port)) is not None
        and refusal.errno != errno.EADDRINUSE
    ]
    if sentences:
        raise Conflict("; ".join([*sentences, "check LOGSIEVE_BIND_HOST and the settings of the ports"]))


def free_offset(needs: Sequence[PortNeed], offset: int, first: int = _OFFSET_STEP) -> int | None:
    """Returns the first offset, in steps of a thousand, at which all these ports are free.

    `needs` has ports at `offset`.
    """
    highest = max((need.port - offset for need in needs), default=0)
    for candidate in range(first, HIGHEST_PORT - highest, _OFFSET_STEP):
        if all(is_free(need.host, need.port - offset + candidate) for need in needs):
            return candidate
    return None


def claim_offset(needs: Sequence[PortNeed]) -> int:
    """Returns a random offset at which all these ports are free. `needs` has the ports without an offset.

    Servers start to listen some time after their ports were chosen. Until this process ends or releases the offset, no
    other process gets the same offset here. Raises Conflict if no offset is free.
    """
    for offset in random.sample(_CLAIMABLE, len(_CLAIMABLE)):
        if _is_claimed(offset):
            continue
        if all(is_free(need.host, need.port + offset) for need in needs):
            return offset
        release_offset(offset)
    raise Conflict("no port offset is free on this machine: set LOGSIEVE_PORT_OFFSET")


def release_offset(offset: int) -> None:
    """Releases an offset that this process has claimed, once its servers have ended."""
    os.close(_claims.pop(offset))


def _is_claimed(offset: int) -> bool:
    """Returns true if another process has claimed the offset. Otherwise claims it for this process."""
    file = Path(tempfile.gettempdir(), f"logsieve-ports-{os.getuid()}-{offset}")
    claim = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(claim, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(claim)
        return True
    _claims[offset] = claim
    return False
