"""Makes statements of arbitrary SQL text, which Logsieve itself cannot make, to test refusals and slow answers."""

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
    """Returns a statement, which runs for the tenant `tenant_id`."""
    return RawStatement("", tuple, parameters=parameters or {}, tenant_id=tenant_id, text=sql)
