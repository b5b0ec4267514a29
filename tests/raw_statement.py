"""Statements of SQL text, which the product cannot make. ClickHouse has to refuse them, or takes long to answer."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from backend.store.statement import Parameter, SystemStatement


@dataclass(frozen=True, slots=True)
class RawStatement(SystemStatement[tuple[Any, ...]]):
    """A statement whose text is given as it is sent."""

    text: str = ""

    @property
    def sql(self) -> str:
        return self.text


def raw_statement(sql: str, parameters: Mapping[str, Parameter] | None = None, tenant_id: int = 0) -> RawStatement:
    """Returns the statement, which the query user sends as that tenant's."""
    return RawStatement("", tuple, parameters=parameters or {}, tenant_id=tenant_id, text=sql)
