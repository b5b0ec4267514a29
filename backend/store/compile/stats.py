"""Compiles the numbers of `| stats` to SQL: the keys of a group, and an aggregate function for each column."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from backend.language.fields import HEX_DIGITS, Field, Kind, Source
from backend.language.numbers import NUMBER_PATTERN
from backend.language.stats_nodes import LEVELS, Call, Function, Stats
from backend.store.compile.filter import clause_of
from backend.store.compile.parameters import Parameter, Parameters
from backend.store.counted_field import value_sql

QUANTILE_ERROR: Final = 0.01
"""Largest relative error of a quantile: the accuracy of its DDSketch."""
QUANTILE_MIN: Final = 1e-15
"""Smallest absolute value in quantiles; smaller ones count as 0."""
QUANTILE_MAX: Final = 1e21
"""Largest absolute value in quantiles; larger ones count as this one.

A sketch has a counter for each 2 % between the smallest and the largest value, 33 KB for this range. ClickHouse refuses
sketches over more than some 570 decades, and values near the largest double.
"""
_QUANTILE_SCALE: Final = 1e15
"""Factor by which values are larger in a sketch: 1 divided by QUANTILE_MIN, so that the smallest value is 1.

ClickHouse (26.7) truncates logarithms towards zero. Values below 1 would therefore be counted as up to 3 % larger.
"""
UNIQ_EXACT: Final = 65_536
"""Number of different values up to which `uniq` counts each, by 32 bits of its hash."""
UNIQ_ERROR: Final = 0.004
"""Standard relative error of `uniq` for more values: 1 divided by the square root of UNIQ_EXACT."""

# Kahan's sum is NaN once it exceeds the largest double; the plain sum is infinite. Both are NaN where partial sums
# exceed it in opposite directions, which depends on the order of the records.
_SUM: Final = "if(isNaN(sumKahan({0})), sum({0}), sumKahan({0}))"
_AGGREGATES: Final = {
    Function.sum: _SUM,
    Function.avg: f"{_SUM} / count({{0}})",
    Function.min: "min({})",
    Function.max: "max({})",
}


@dataclass(frozen=True, slots=True)
class StatsColumns:
    """SQL expressions over the columns of a log table.

    `keys`: texts that name a record's group, one for each field of the stats; `+` and the value, or empty where the
    record does not have the field. `calls`: aggregate functions, one for each function of the stats. `columns`: columns
    that the expressions read.
    """

    keys: tuple[str, ...]
    calls: tuple[str, ...]
    parameters: Mapping[str, Parameter]
    columns: frozenset[str]


def compile_stats(stats: Stats) -> StatsColumns:
    """Returns the SQL of the numbers, for all stats that the parser can give. Raises nothing."""
    parameters, columns = Parameters("s"), set[str]()
    keys = tuple(_key(field, parameters) for field in stats.by)
    calls = tuple(_call(call, parameters, columns) for call in stats.calls)
    return StatsColumns(keys, calls, MappingProxyType(parameters.collected()), frozenset(columns))


def _key(field: Field, parameters: Parameters) -> str:
    has, text = _value(field, parameters)
    return f"if({has}, concat('+', {text}), '')"


def _call(call: Call, parameters: Parameters, columns: set[str]) -> str:
    if call.argument is None:
        return "count()"
    if not isinstance(call.argument, Field):
        clause = clause_of(call.argument, parameters)
        columns |= clause.columns
        return f"countIf({clause.sql})"
    if call.function is Function.uniq:
        has, text = _value(call.argument, parameters)
        return f"uniqIf({text}, {has})"
    is_number, number = _number(call.argument, parameters)
    if level := LEVELS.get(call.function):
        # `greatest` and `least` pass over NULL, so that they may only see numbers.
        within = f"greatest(-{QUANTILE_MAX}, least({QUANTILE_MAX}, {number}))"
        bounded = f"if(abs({number}) < {QUANTILE_MIN}, 0, {within})"
        scaled = f"if({is_number}, {bounded} * {_QUANTILE_SCALE}, NULL)"
        return f"quantileDD({QUANTILE_ERROR}, {level})({scaled}) / {_QUANTILE_SCALE}"
    return _AGGREGATES[call.function].format(f"if({is_number}, {number}, NULL)")


def _value(field: Field, parameters: Parameters) -> tuple[str, str]:
    """Returns SQL that is true if a record has the field, and SQL of the field's text."""
    if field.source is Source.record and field.kind is Kind.number:
        return f"{field.name} != 0", f"toString({field.name})"
    if field.source is Source.record and field.kind is Kind.hex_id:
        size = HEX_DIGITS[field.name] // 2
        return f"{field.name} != toFixedString('', {size})", f"lower(hex({field.name}))"
    return value_sql(field) if field.source is Source.record else value_sql(field, parameters.add(field.name))


def _number(field: Field, parameters: Parameters) -> tuple[str, str]:
    """Returns SQL that is true if a record's value of the field is a finite number, and SQL of the number."""
    has, text = _value(field, parameters)
    if field.source is Source.record:
        return has, f"toFloat64({field.name})"
    number = f"toFloat64OrZero({text})"
    return f"match({text}, '{NUMBER_PATTERN}') AND isFinite({number})", number
