"""A control plane and a Kafka in memory, and the intake between them."""

from dataclasses import dataclass, field

from ingest.receiver.intake import Intake
from kit.clock import ManualClock
from kit.errors import LogsieveError, Unauthenticated
from kit.settings import Settings
from schema.control.directory import Grant, Tenant
from schema.control.models import Purpose
from schema.envelope import Envelope

NOW = 1_700_000_000_000_000_000
DAY = 86_400 * 10**9

TENANT = Tenant(id=7, name="demo", lane=2, cohort="r30", cohorts=("r30",), retention_days=30, body_max_bytes=4096)
BEARER = {purpose: f"Bearer key-for-{purpose}" for purpose in Purpose}


class Keys:
    """One key of each purpose, all of TENANT."""

    def grant(self, key: str) -> Grant:
        for purpose in Purpose:
            if BEARER[purpose] == f"Bearer {key}":
                return Grant(TENANT, purpose, key)
        raise Unauthenticated("the key is not known, or it was revoked")


@dataclass
class Topic:
    """Takes messages, or fails as told."""

    failure: LogsieveError | None = None
    messages: list[tuple[Envelope, bytes]] = field(default_factory=list)

    async def send(self, envelope: Envelope, value: bytes) -> None:
        if self.failure is not None:
            raise self.failure
        self.messages.append((envelope, value))


def intake(topic: Topic, settings: Settings) -> Intake:
    return Intake(settings, Keys(), topic, ManualClock(NOW))
