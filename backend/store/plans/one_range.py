"""The functions that read a whole range without windows, by plan."""

from collections.abc import Callable, Coroutine, Mapping
from types import MappingProxyType
from typing import Any

from backend.store.plans.plan import RangePlan
from backend.store.plans.two_phase import read_two_phase
from backend.store.query import Query
from backend.store.read_records import PackedShares, read_page
from backend.store.rows import Rows
from backend.store.runs import Runs
from schema.columns import Record

ReadRangeBy = Callable[[Runs, Query, PackedShares], Coroutine[Any, Any, Rows[Record]]]

READ_RANGE: Mapping[RangePlan, ReadRangeBy] = MappingProxyType(
    {RangePlan.in_order: read_page, RangePlan.two_phase: read_two_phase}
)
"""`in_order` is one statement in the order of the sorting key, which stops when the page is full. A server with lazy
materialization (ClickHouse 25.4 and later) reads wide columns only for the rows of the page."""
