"""The shop's services and the pods they run on."""

import random
from dataclasses import dataclass

from stack.samples.record import Instance
from stack.samples.timeline import Timeline

BROKEN_PAYMENTS = "2.14.0"
FIXED_PAYMENTS = "2.14.1"

_HOSTS = tuple(f"node-{number}.shop.example.com" for number in range(1, 5))
_POD_CHARACTERS = "bcdfghjklmnpqrstvwxz2456789"


@dataclass(frozen=True, slots=True)
class _Service:
    name: str
    version: str
    scope: str
    pods: int


_SERVICES = (
    _Service("web-gateway", "1.31.2", "gateway.access", 3),
    _Service("checkout", "5.8.0", "checkout.orders", 3),
    _Service("payments", BROKEN_PAYMENTS, "com.example.shop.payments", 2),
    _Service("inventory", "3.2.7", "inventory.stock", 2),
    _Service("search", "0.19.4", "search.query", 2),
    _Service("auth", "2.2.0", "auth.sessions", 2),
    _Service("notifications", "1.9.3", "notifications.mail", 1),
    _Service("orders-db", "16.4", "database", 1),
    _Service("deployer", "4.0.1", "deployer.rollout", 1),
    _Service("alerting", "0.8.2", "alerting.rules", 1),
)


class Fleet:
    """The running pods of each service at any time of the story. A seed always gives the same pods."""

    def __init__(self, rng: random.Random, timeline: Timeline) -> None:
        self._timeline = timeline
        self._pods = {service.name: self._started(rng, service, service.version) for service in _SERVICES}
        payments = next(service for service in _SERVICES if service.name == "payments")
        self._fixed_payments = self._started(rng, payments, FIXED_PAYMENTS)

    def pick(self, service: str, at_ns: int, rng: random.Random) -> Instance:
        """Returns a random pod that serves the request."""
        if service == "payments" and at_ns >= self._timeline.incident_end_ns:
            return rng.choice(self._fixed_payments)
        return rng.choice(self._pods[service])

    def pods(self, service: str, version: str) -> tuple[Instance, ...]:
        """Returns the pods of a service that run this version."""
        pods = self._pods[service] + (self._fixed_payments if service == "payments" else ())
        return tuple(pod for pod in pods if pod.version == version)

    @staticmethod
    def _started(rng: random.Random, service: _Service, version: str) -> tuple[Instance, ...]:
        replica_set = "".join(rng.choices(_POD_CHARACTERS, k=9))
        pods = (
            f"{service.name}-{replica_set}-{''.join(rng.choices(_POD_CHARACTERS, k=5))}" for _ in range(service.pods)
        )
        return tuple(Instance(service.name, version, pod, rng.choice(_HOSTS), service.scope) for pod in pods)
