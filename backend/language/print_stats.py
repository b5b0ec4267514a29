"""Prints `| stats` as canonical text: `parse_stats(print_stats_query(query)) == query`."""

from backend.language.durations import print_duration
from backend.language.fields import Field
from backend.language.nodes import MatchAll
from backend.language.print import print_field, print_query
from backend.language.stats_nodes import DEFAULT_LIMIT, Call, Stats, StatsQuery


def print_stats_query(query: StatsQuery) -> str:
    """Returns the query and its numbers in canonical form. A query that matches every record is left out."""
    before = "" if isinstance(query.matching, MatchAll) else print_query(query.matching) + " "
    return before + _print_stats(query.stats)


def print_call(call: Call) -> str:
    """Returns the text of a function with its argument, which also names its column."""
    if call.argument is None:
        return f"{call.function}()"
    argument = call.argument
    return f"{call.function}({print_field(argument) if isinstance(argument, Field) else print_query(argument)})"


def _print_stats(stats: Stats) -> str:
    parts = ["| stats " + ", ".join(map(print_call, stats.calls))]
    keys = [print_field(field) for field in stats.by]
    if stats.interval_ns is not None:
        keys.append(f"time({print_duration(stats.interval_ns)})")
    if keys:
        parts.append("by " + ", ".join(keys))
    if stats.sort is not None:
        key = stats.sort.key
        direction = "desc" if stats.sort.is_descending else "asc"
        parts.append(f"| sort {print_field(key) if isinstance(key, Field) else print_call(key)} {direction}")
    if stats.limit != DEFAULT_LIMIT:
        parts.append(f"| limit {stats.limit}")
    return " ".join(parts)
