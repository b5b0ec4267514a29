"""JSON models of attribute rules."""

from pydantic import BaseModel, Field

from backend.policies.repository import RuleInfo
from backend.policies.service import RuleChange
from backend.strict_body import StrictBody
from backend.times import format_time
from schema.attribute_rules import Action


class AttributeRuleRequest(StrictBody):
    """One rule. Unknown fields are refused, so that a misspelt field is not taken for one that was set."""

    name: str = Field(description="Name of an attribute in any case, or with `is_prefix` the beginning of names.")
    is_prefix: bool = Field(False, description="True for a rule on every name that begins with `name`.")
    action: Action = Field(description="`drop` removes the attribute, `mask` stores `***` for its value.")


class AttributeRuleChange(BaseModel):
    change: RuleChange = Field(
        description="`added`, `changed` for another action, or `unchanged` for an identical rule."
    )


class AddedAttributeRules(BaseModel):
    added: int = Field(description="Number of recommended rules that were added.")


class AttributeRuleBody(BaseModel):
    tenant: str | None = Field(description="The tenant that owns the rule; null for a rule of the installation.")
    name: str
    is_prefix: bool
    action: str = Field(description="`drop` or `mask`; a newer release may know more.")
    created_at: str


class AttributeRules(BaseModel):
    rules: list[AttributeRuleBody]


def rule_body(rule: RuleInfo) -> AttributeRuleBody:
    return AttributeRuleBody(
        tenant=rule.tenant,
        name=rule.pattern,
        is_prefix=rule.is_prefix,
        action=rule.action,
        created_at=format_time(rule.created_at_ns),
    )
