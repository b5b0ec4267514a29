"""A deleted tenant in the control plane, for tests of what is done with its rows."""

from sqlalchemy import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from schema.control.models import TenantRow


async def add_deleted_tenant(connection: AsyncConnection, tenant_id: int, name: str = "acme") -> None:
    """Adds a tenant on lane 0, whose deletion has begun."""
    row = {"id": tenant_id, "name": name, "lane": 0, "body_max_bytes": 4096, "created_at_ns": 1}
    await connection.execute(insert(TenantRow).values(**row, deleted_at_ns=2))
