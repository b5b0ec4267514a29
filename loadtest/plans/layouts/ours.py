"""Our own table asked by hand: what a search costs when nothing but the layout is ours."""

from typing import Final

from loadtest.corpus.rows import LARGEST, OWN_COHORT
from loadtest.plans.layouts.layout import Layout
from schema.columns import NAMES, SORTING_KEY

OURS: Final = Layout(
    name="logsieve",
    create="",
    copy=f"INSERT INTO {{table}} ({', '.join(NAMES)}) SELECT {', '.join(NAMES)} FROM {{source}}",
    word="hasToken(lower(body), '{}')",
    order=("timestamp", "id"),
    key=SORTING_KEY,
    between=f"tenant_id = {LARGEST} AND cohort = '{OWN_COHORT}'"
    " AND timestamp >= fromUnixTimestamp64Nano({start}, 'UTC') AND timestamp < fromUnixTimestamp64Nano({end}, 'UTC')",
)
"""Logsieve's own layout. It has no `create`, because migrations make the table."""
