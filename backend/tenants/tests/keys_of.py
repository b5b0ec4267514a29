"""The service of keys beside a service of tenants, for tests that use both."""

from backend.tenants.keys import KeyService
from backend.tenants.service import TenantService


def keys_of(tenants: TenantService) -> KeyService:
    """Returns the service of keys on the same database, with the same clock and author of changes."""
    return KeyService(tenants._engine, tenants._clock, tenants._actor)
