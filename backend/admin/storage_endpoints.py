"""The route that shows the use of disks, fair shares, and which days tenants lose next."""

from typing import Annotated

from fastapi import APIRouter

from backend.admin.service import AdminService
from backend.admin.storage_schemas import StorageBody, storage_body
from backend.auth import AdminCaller
from backend.control_failures import control_service
from backend.problems import responses
from kit.errors import Forbidden, InvalidRequest, Unauthenticated, Unavailable

router = APIRouter(
    prefix="/api/v1/admin/storage",
    tags=["admin"],
    responses=responses(InvalidRequest, Unauthenticated, Forbidden, Unavailable),
)

Service = Annotated[AdminService, control_service("admin")]


@router.get("")
async def show_storage(caller: AdminCaller, service: Service) -> StorageBody:
    """Shows bytes on disk, fair shares, and the days that tenants are predicted to lose because a disk is full.

    A key of the operator tenant sees all tenants and the servers' volumes, other keys only their own tenant.
    """
    return storage_body(await service.storage(caller))
