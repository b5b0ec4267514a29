"""Statements of arbitrary SQL text, which the product cannot make, to test refusals and slow answers of ClickHouse."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from backend.store.statement import Parameter, SystemStatement


@dataclass(frozen=True, slots=True)
class RawStatement(SystemStatement[tuple[Any, ...]]):
    """A statement with the given SQL text."""

    text: str = ""

    @property
    def sql(self) -> str:
        return self.text


def raw_statement(sql: str, parameters: Mapping[str, Parameter] | None = None, tenant_id: int = 0) -> RawStatement:
    """Returns the statement. The query user sends it for that tenant."""
    return RawStatement("", tuple, parameters=parameters or {}, tenant_id=tenant_id, text=sql)
