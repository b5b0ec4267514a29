"""New tenants for tests, so that no test sees another's records."""

import secrets
import time
from collections.abc import Iterator
from dataclasses import dataclass

from backend.tenants.service import pick_lane
from tests import otlp
from tests.api_client import Api
from tests.running_stack import Stack

KNOWN_WITHIN_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class TenantKeys:
    """A tenant and the text of its two keys."""

    tenant: str
    ingest: str
    query: str


def new_tenant(stack: Stack, name: str, lane: int | None = None) -> TenantKeys:
    """A tenant of this or a similar name, made with the command line; receiver and API know its keys."""
    name = next(found for found in _names(name) if lane in (None, lane_of(stack, found)))
    _logsieve(stack, "tenant", "create", name)
    keys = TenantKeys(name, _key(stack, name, "ingest"), _key(stack, name, "query"))
    deadline = time.monotonic() + KNOWN_WITHIN_SECONDS
    with Api(stack.api_url, keys.query) as api:
        while (
            api.get("/tenant").status_code != 200
            or otlp.send(stack.otlp_http_url, keys.ingest, otlp.request()).status_code != 200
        ):
            assert time.monotonic() < deadline, f"the keys of {name} are still not known"
            time.sleep(0.1)
    return keys


def lane_of(stack: Stack, tenant: str) -> int:
    """The lane of a tenant that was not moved."""
    return pick_lane(tenant, range(stack.settings.lanes))


def _names(name: str) -> Iterator[str]:
    while True:
        yield f"{name}-{secrets.token_hex(3)}"


def _key(stack: Stack, tenant: str, purpose: str) -> str:
    return _logsieve(stack, "key", "create", tenant, purpose).strip()


def _logsieve(stack: Stack, *arguments: str) -> str:
    done = stack.logsieve(*arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout
