"""The routes under /api/v1/admin."""

from typing import Annotated

from fastapi import APIRouter, Response

from backend.admin.schemas import (
    AdminKey,
    AdminKeys,
    AdminTenant,
    AdminTenants,
    ChangedTenant,
    CreatedKey,
    KeyPatch,
    KeyRequest,
    NewTenant,
    TenantPatch,
    changed_body,
    key_body,
    tenant_body,
)
from backend.admin.service import AdminService
from backend.auth import AdminCaller
from backend.control_failures import control_service
from backend.list_response import list_response
from backend.problems import responses
from backend.state import ProcessState
from backend.times import parse_time
from kit.errors import Conflict, Forbidden, InvalidRequest, NotFound, RateLimited, Unauthenticated, Unavailable

router = APIRouter(
    prefix="/api/v1/admin",
    tags=["admin"],
    responses=responses(InvalidRequest, Unauthenticated, Forbidden, NotFound, RateLimited, Unavailable),
)

Service = Annotated[AdminService, control_service("admin")]


@router.post("/tenants", status_code=201, responses=responses(Conflict))
async def create_tenant(
    caller: AdminCaller, service: Service, requested: NewTenant, state: ProcessState
) -> AdminTenant:
    """Creates a tenant. Needs a key of the operator tenant."""
    body = state.settings.body_max_bytes if requested.body_max_bytes is None else requested.body_max_bytes
    return tenant_body(
        await service.create_tenant(caller, requested.name, requested.retention_days, body, requested.lane)
    )


@router.get("/tenants", response_model=AdminTenants)
async def list_tenants(caller: AdminCaller, service: Service, state: ProcessState) -> Response:
    """Lists tenants: all of them for a key of the operator tenant, else only the key's own."""
    return await list_response(state, caller.tenant.id, "tenants", lambda: service.list_tenants(caller), tenant_body)


@router.get("/tenants/{name}")
async def get_tenant(caller: AdminCaller, service: Service, name: str) -> AdminTenant:
    """Returns one tenant with its limits."""
    return tenant_body(await service.tenant(caller, name))


@router.patch("/tenants/{name}")
async def change_tenant(
    caller: AdminCaller, service: Service, name: str, requested: TenantPatch, state: ProcessState
) -> ChangedTenant:
    """Changes retention, body size or limits: all of the given values or none. Needs a key of the operator tenant."""
    changes = requested.changes()
    changed = await service.change_tenant(caller, name, changes)
    return changed_body(changed, changes, state.settings.control_refresh_seconds)


@router.delete("/tenants/{name}", status_code=204)
async def delete_tenant(caller: AdminCaller, service: Service, name: str) -> None:
    """Deletes a tenant.

    Its keys stop working within 5 s, then its records are erased. Needs a key of the operator tenant.
    """
    await service.delete_tenant(caller, name)


@router.post("/tenants/{name}/keys", status_code=201)
async def create_key(caller: AdminCaller, service: Service, name: str, requested: KeyRequest) -> CreatedKey:
    """Creates a key. Its text is in this answer only and cannot be read again."""
    expires_at_ns = None if requested.expires_at is None else parse_time(requested.expires_at, "expires_at")
    key = await service.create_key(caller, name, requested.purpose, requested.label, expires_at_ns)
    return CreatedKey(id=key.id, tenant=name, purpose=requested.purpose, key=key.text)


@router.get("/tenants/{name}/keys", response_model=AdminKeys)
async def list_keys(caller: AdminCaller, service: Service, state: ProcessState, name: str) -> Response:
    """Lists a tenant's keys, oldest first, without their texts."""
    return await list_response(state, caller.tenant.id, "keys", lambda: service.keys(caller, name), key_body)


@router.patch("/tenants/{name}/keys/{key_id}")
async def label_key(caller: AdminCaller, service: Service, name: str, key_id: str, requested: KeyPatch) -> AdminKey:
    """Changes the label of a key, also of a revoked one. The key works as before."""
    return key_body(await service.label_key(caller, name, key_id, requested.label))


@router.delete("/tenants/{name}/keys/{key_id}", status_code=204)
async def revoke_key(caller: AdminCaller, service: Service, name: str, key_id: str) -> None:
    """Revokes a key. It stops working within 5 s."""
    await service.revoke_key(caller, name, key_id)
