"""The plans that read a whole range at once, by name."""

from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType

from backend.search.execute import Answer, Executor
from backend.search.plans.in_order import read_in_order
from backend.search.plans.question import PageQuestion
from backend.search.plans.two_phase import read_two_phase
from backend.search.schemas import Plan

ReadRange = Callable[[Executor, PageQuestion], Awaitable[Answer]]

READ_RANGE: Mapping[Plan, ReadRange] = MappingProxyType({Plan.in_order: read_in_order, Plan.two_phase: read_two_phase})
