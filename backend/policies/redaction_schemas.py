"""JSON models of redactions of bodies."""

from pydantic import BaseModel, Field

from backend.policies.redaction_repository import RedactionInfo
from backend.strict_body import StrictBody
from backend.times import format_time


class BodyRedactionRequest(StrictBody):
    """A redaction to set. Unknown fields are refused, so that a misspelt field is not taken for one that was set."""

    expression: str | None = Field(
        None, description="RE2 expression of up to 512 characters; left out or null for a built-in redaction."
    )


class BodyRedactionBody(BaseModel):
    tenant: str | None = Field(description="The tenant that owns the redaction; null for one of the installation.")
    name: str
    expression: str | None = Field(description="Null for a built-in redaction.")
    created_at: str


class BodyRedactions(BaseModel):
    redactions: list[BodyRedactionBody]


def redaction_body(redaction: RedactionInfo) -> BodyRedactionBody:
    return BodyRedactionBody(
        tenant=redaction.tenant,
        name=redaction.name,
        expression=redaction.expression,
        created_at=format_time(redaction.created_at_ns),
    )
