"""Creates the study's tenants: attackers, a victim that shares a partition with one, and a victim that does not."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from backend.tenants.changes import DEFAULT_LIMITS
from backend.tenants.repository import TenantInfo
from kit.clock import Clock
from kit.errors import Internal, Unavailable
from loadtest.control import create_tenant
from loadtest.corpus.records import SMALL
from loadtest.hostile.attack import Address, Target
from loadtest.hostile.victim import Victim
from loadtest.own_stack import OwnStack, Sender
from loadtest.traffic.otlp_http import HttpConnection, SendOutcome
from loadtest.traffic.sender import Extent, prepare_requests
from schema.tenant_partitions import partition_of, partitions_of, tenant_key

NEAR: Final = "the same partition"
FAR: Final = "another partition"
ATTACKERS: Final = 3
"""Number of attacking tenants. Each writes to another partition."""

FLOOD_BYTES_PER_SECOND: Final = 100_000
"""Limit of the tenant whose flood must be refused, in decompressed bytes per second."""

REDACTING: Final = 3
"""Number of tenants that have a redaction with a slow expression."""

_EXPRESSION: Final = "[01]*1[01]{200}2"
"""The slowest expression that was found within the bounds of redactions
(docs/decisions/0020-bodies-are-redacted-before-kafka.md)."""
_MAX_TENANTS: Final = 40
_HISTORY_SECONDS: Final = 180.0
_HISTORY_NS: Final = 600 * 10**9
"""Age of the attacker's first records, in nanoseconds."""


@dataclass(frozen=True, slots=True)
class Roles:
    """Ids of the tenants in each role.

    `near` is a victim that writes to the partition of the first attacker. `far` is a victim that writes to a partition
    that no attacker uses, however much the attackers send.
    """

    attackers: tuple[int, ...]
    near: int
    far: int


@dataclass(frozen=True, slots=True)
class Tenants:
    """The target of the attacks, the victims by NEAR and FAR, and the ids of all other tenants."""

    target: Target
    victims: dict[str, Victim]
    others: frozenset[int]


def create_tenants(stack: OwnStack, seed: int, clock: Clock) -> Tenants:
    """Creates all tenants in one lane, so that the rows of all tenants are inserted into one table.

    The last attacking tenant has a low limit.
    """
    tenants, roles = _created(stack)
    attackers = [stack.sender_of(tenants[each]) for each in roles.attackers]
    victims = {NEAR: stack.sender_of(tenants[roles.near]), FAR: stack.sender_of(tenants[roles.far])}
    limit_rate(stack, attackers[-1])
    redacting = [_redacting(stack, tenants[roles.near].lane, number) for number in range(REDACTING)]
    return Tenants(
        Target(
            stack.otlp_http,
            stack.otlp_grpc,
            stack.api,
            tuple(each.ingest_key for each in attackers),
            stack.query_key(attackers[0].tenant),
            tuple(each.ingest_key for each in redacting),
        ),
        {place: Victim(stack, each, seed, clock) for place, each in victims.items()},
        frozenset(tenants).union(each.tenant_id for each in redacting) - {roles.near, roles.far},
    )


def limit_rate(stack: OwnStack, flooding: Sender) -> None:
    """Limits the rate of the tenant whose flood must be refused."""
    limit = str(FLOOD_BYTES_PER_SECOND)
    stack.logsieve("tenant", "limits", flooding.tenant, "--bytes-per-second", limit, "--json")


def _redacting(stack: OwnStack, lane: int, number: int) -> Sender:
    """Creates a tenant whose bodies are searched for the slow expression."""
    created = create_tenant(stack.settings, f"redacting-{number}", lane, DEFAULT_LIMITS)
    stack.run("policy", "redact", "slow", "--regex", _EXPRESSION, "--tenant", created.name)
    return stack.sender_of(created)


def send_history(address: Address, key: str, requests: int, clock: Clock) -> None:
    """Sends the records that the attacker's searches read. Repeats requests that the tenant's limits refuse.

    Raises Unavailable if the receiver does not accept all requests in time.
    """
    deadline = clock.monotonic() + _HISTORY_SECONDS
    with HttpConnection(address, key) as connection:
        for body in prepare_requests(SMALL, 1, Extent(requests, None), clock.now_ns() - _HISTORY_NS):
            while connection.export(body) is not SendOutcome.acknowledged:
                if clock.monotonic() > deadline:
                    raise Unavailable(f"the attacker's own records were not taken in {_HISTORY_SECONDS:g} s")


def cast(ids: Sequence[int], partitions: int) -> Roles | None:
    """Returns roles for some of these tenants. Returns None if no choice of them fits all roles."""
    home = {each: partition_of(tenant_key(each, 0), partitions) for each in ids}
    for far in ids:
        attackers = [each for each in ids if home[far] not in partitions_of(each, partitions)]
        for chosen in combinations(attackers, ATTACKERS):
            if len({home[each] for each in chosen}) < ATTACKERS:
                continue
            for near in ids:
                if near not in chosen and home[near] == home[chosen[0]]:
                    return Roles(chosen, near, far)
    return None


def _created(stack: OwnStack) -> tuple[dict[int, TenantInfo], Roles]:
    """Creates tenants until they fit all roles. Returns them by id, and the roles.

    Raises Internal if `_MAX_TENANTS` tenants do not fit.
    """
    tenants: dict[int, TenantInfo] = {}
    lane: int | None = None
    for number in range(_MAX_TENANTS):
        created = create_tenant(stack.settings, f"hostile-{number}", lane, DEFAULT_LIMITS)
        tenants[created.id], lane = created, created.lane
        if (roles := cast(list(tenants), stack.settings.kafka_partitions)) is not None:
            return tenants, roles
    raise Internal(f"{_MAX_TENANTS} tenants are too few for {stack.settings.kafka_partitions} partitions")
