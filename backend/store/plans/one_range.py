"""The functions that read a whole range without windows, by plan."""

from collections.abc import Callable, Coroutine, Mapping
from types import MappingProxyType
from typing import Any

from backend.store.plans.in_order import read_in_order
from backend.store.plans.plan import Plan
from backend.store.plans.two_phase import read_two_phase
from backend.store.query import Query
from backend.store.read_records import PackedShares
from backend.store.rows import Rows
from backend.store.runs import Runs
from schema.columns import Record

ReadRangeBy = Callable[[Runs, Query, PackedShares], Coroutine[Any, Any, Rows[Record]]]

READ_RANGE: Mapping[Plan, ReadRangeBy] = MappingProxyType(
    {Plan.in_order: read_in_order, Plan.two_phase: read_two_phase}
)
