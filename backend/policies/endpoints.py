"""The routes of a tenant's attribute rules, for admin keys. Rules of the installation are changed by command only."""

from typing import Annotated

from fastapi import APIRouter, Query, Response

from backend.admin.service import AdminService
from backend.auth import AdminCaller
from backend.control_failures import control_service
from backend.list_response import list_response
from backend.policies.schemas import (
    AddedAttributeRules,
    AttributeRuleChange,
    AttributeRuleRequest,
    AttributeRules,
    rule_body,
)
from backend.problems import responses
from backend.state import ProcessState
from kit.errors import Forbidden, InvalidRequest, NotFound, RateLimited, Unauthenticated, Unavailable

router = APIRouter(
    prefix="/api/v1/admin/tenants/{name}/attribute-rules",
    tags=["admin"],
    responses=responses(InvalidRequest, Unauthenticated, Forbidden, NotFound, RateLimited, Unavailable),
)

Service = Annotated[AdminService, control_service("admin")]


@router.get("", response_model=AttributeRules)
async def list_attribute_rules(caller: AdminCaller, service: Service, state: ProcessState, name: str) -> Response:
    """Lists the rules that apply to a tenant's records: the installation's first, then the tenant's own."""
    return await list_response(state, caller.tenant.id, "rules", lambda: service.rules(caller, name), rule_body)


@router.put("")
async def set_attribute_rule(
    caller: AdminCaller, service: Service, name: str, requested: AttributeRuleRequest
) -> AttributeRuleChange:
    """Adds a rule that drops or masks attributes before they are stored.

    Applies within 5 s. Replaces a rule on the same name.
    """
    return AttributeRuleChange(
        change=await service.set_rule(caller, name, requested.name, requested.is_prefix, requested.action),
    )


@router.post("/recommended")
async def add_recommended_attribute_rules(caller: AdminCaller, service: Service, name: str) -> AddedAttributeRules:
    """Adds rules that mask names which hold credentials in most installations. Existing rules on these names stay."""
    return AddedAttributeRules(added=await service.add_recommended_rules(caller, name))


@router.delete("", status_code=204)
async def remove_attribute_rule(
    caller: AdminCaller,
    service: Service,
    name: str,
    attribute: Annotated[str, Query(alias="name", description="Name or prefix of the rule.")],
    is_prefix: bool = False,
) -> None:
    """Removes a rule.

    Its attributes are stored again after at most 5 s. Values that were dropped or masked are lost.
    """
    await service.remove_rule(caller, name, attribute, is_prefix)
