"""The owner of an attribute rule or a redaction: a tenant, or the installation and so all tenants."""

from sqlalchemy.ext.asyncio import AsyncConnection

from backend.tenants.repository import require_tenant


async def owner_id(connection: AsyncConnection, tenant: str | None) -> int | None:
    """Returns the id of the owner `tenant`; None for the installation. Raises NotFound for an unknown tenant."""
    return None if tenant is None else await require_tenant(connection, tenant)


def audited(owner: int | None, tenant: str | None) -> tuple[int, str] | None:
    """Returns the tenant that an entry of the audit log names; None if the change concerns all tenants."""
    return None if owner is None or tenant is None else (owner, tenant)
