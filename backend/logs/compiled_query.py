"""Compiles query text in the one form that all services use, so that they share the results that QueryThreads keeps."""

from typing import NamedTuple

from backend.language.parse import parse
from backend.language.print import print_query
from backend.store.compile.filter import Filter, compile_filter


class CompiledQuery(NamedTuple):
    """The filter of a query, which has its syntax tree, and the query's text in canonical form."""

    matching: Filter
    canonical: str


def compiled(text: str) -> CompiledQuery:
    """Compiles the text of a query. Raises InvalidQuery."""
    node = parse(text)
    return CompiledQuery(compile_filter(node), print_query(node))
