"""The route that shows the use of disks, fair shares, and which days tenants lose next."""

from typing import Annotated

from fastapi import APIRouter

from backend.auth import AdminCaller
from backend.caller import OPERATOR
from backend.control_failures import control_service
from backend.problems import responses
from backend.tenants.storage import StorageService
from backend.tenants.storage_schemas import StorageBody, storage_body
from kit.errors import Forbidden, InvalidRequest, Unauthenticated, Unavailable

router = APIRouter(
    prefix="/api/v1/admin/storage",
    tags=["admin"],
    responses=responses(InvalidRequest, Unauthenticated, Forbidden, Unavailable),
)


@router.get("")
async def show_storage(
    caller: AdminCaller, service: Annotated[StorageService, control_service("storage")]
) -> StorageBody:
    """Shows bytes on disk, fair shares, and the days that tenants are predicted to lose because a disk is full.

    A key of the operator tenant sees all tenants and the servers' volumes, other keys only their own tenant.
    """
    for_operator = caller.tenant.name == OPERATOR
    shown = await (service.storage() if for_operator else service.storage_of(caller.tenant.id))
    return storage_body(shown, for_operator=for_operator)
