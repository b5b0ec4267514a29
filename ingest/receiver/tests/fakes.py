"""Fakes in memory of the control plane and Kafka, and an intake that uses them."""

from collections import Counter
from dataclasses import dataclass, field

from ingest.receiver.gate import Gate
from ingest.receiver.intake import Intake
from ingest.receiver.refused import RefusalCounter
from kit.clock import ManualClock
from kit.errors import LogsieveError, Unauthenticated
from kit.settings import Settings
from schema.control.directory import Grant, Tenant
from schema.control.models import Purpose
from schema.control.tenant_lanes import TenantLanes
from schema.envelope import Envelope

NOW = 1_700_000_000_000_000_000
DAY = 86_400 * 10**9

TENANT = Tenant(
    id=7, name="demo", lanes=TenantLanes(2), cohort="r30", cohorts=("r30",), retention_days=30, body_max_bytes=4096
)
BEARER = {purpose: f"Bearer key-for-{purpose}" for purpose in Purpose}


@dataclass
class Keys:
    """Fake directory with one key of each purpose, all of one tenant."""

    tenant: Tenant = TENANT

    def grant(self, key: str, address: str | None = None) -> Grant:  # noqa: ARG002 the signature is the directory's
        for purpose in Purpose:
            if BEARER[purpose] == f"Bearer {key}":
                return Grant(self.tenant, purpose, key)
        raise Unauthenticated("the key is not known, or it was revoked")


@dataclass
class Topic:
    """Fake topic, which accepts messages or fails as configured."""

    failure: LogsieveError | None = None
    messages: list[tuple[Envelope, bytes]] = field(default_factory=list)

    def check(self, _tenant_id: int) -> None:
        """Does nothing: Kafka is never known to be down."""

    async def send(self, envelope: Envelope, value: bytes) -> None:
        if self.failure is not None:
            raise self.failure
        self.messages.append((envelope, value))


@dataclass
class DayBytes:
    """Fake quota that counts bytes."""

    counts: Counter[int] = field(default_factory=Counter)

    def sent(self, tenant_id: int, size: int) -> None:
        self.counts[tenant_id] += size

    def sent_today(self, tenant_id: int) -> int:
        return self.counts[tenant_id]

    def seconds_left(self) -> float:
        return 3600.0


@dataclass
class Receiver:
    """The parts of a receiver behind its transports, with a topic in memory."""

    topic: Topic = field(default_factory=Topic)
    tenant: Tenant = TENANT
    clock: ManualClock = field(default_factory=lambda: ManualClock(NOW))
    quota: DayBytes = field(default_factory=DayBytes)
    keys: Keys | None = None
    """Directory of the intake. None: one with the keys of `tenant`."""

    def intake(self, settings: Settings) -> Intake:
        """Returns an intake, which needs a running event loop. The caller closes it."""
        self.refused = RefusalCounter(self.topic, {self.tenant.id: self.tenant}.get, self.clock)
        gate = Gate(1.0, self.quota, self.clock)
        return Intake(settings, self.keys or Keys(self.tenant), self.topic, gate, self.quota, self.refused, self.clock)


def intake(topic: Topic, settings: Settings) -> Intake:
    return Receiver(topic).intake(settings)
