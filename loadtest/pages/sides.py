"""The sides of the comparison. Each has a table layout, a placement of its rows, engine settings and a way to read."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from backend.store.plans.plan import Plan
from loadtest.pages.layouts import PEERS, SEVERITY_KEY
from schema.clickhouse.index_profiles import Profile


class Placement(StrEnum):
    """Places of the rows: all on one node, or half on each of two nodes behind Distributed tables."""

    local = "local"
    shards = "two shards"


class Engine(StrEnum):
    """Settings of the server that a page is read with.

    `installed` changes nothing. `today` disables the query condition cache. `2024` also disables the optimizations that
    are newer than 2024.
    """

    installed = "installed"
    of_2024 = "2024"
    today = "today"


class Way(StrEnum):
    """Ways to read a page by statements of `layouts.py`, without Logsieve's plans.

    `plain` is one ORDER BY … LIMIT. `lazy` is `plain` with lazy materialization. `rewrite` finds the keys in a subquery
    first. The ways `…_unindexed` do not use skip indexes. `own` is the way of the layout's own product. `distributed`
    is Logsieve's plan `auto` over Distributed tables, as two shards were read until decision 0050.
    """

    plain = "plain"
    plain_unindexed = "plain, no index"
    lazy = "lazy"
    rewrite = "rewrite"
    rewrite_unindexed = "rewrite, no index"
    own = "own"
    distributed = "auto, Distributed"


@dataclass(frozen=True, slots=True)
class Side:
    """One side. If `way` is a Plan, Logsieve's own code reads the page, with the index profile that `layout` names."""

    placement: Placement
    layout: str
    way: Way | Plan
    engine: Engine

    @property
    def label(self) -> str:
        """Name of the side, without its placement."""
        return f"{self.layout}, {self.way.value} ({self.engine.value})"


ENGINE_SETTINGS: Final[Mapping[Engine, Mapping[str, int]]] = {
    Engine.installed: {},
    Engine.of_2024: {
        "query_plan_optimize_lazy_materialization": 0,
        "use_skip_indexes_for_top_k": 0,
        "use_top_k_dynamic_filtering": 0,
        "use_skip_indexes_on_data_read": 0,
        "use_skip_indexes_for_disjunctions": 0,
        # The cache would remember in later rounds which granules match a condition.
        "use_query_condition_cache": 0,
    },
    Engine.today: {"use_query_condition_cache": 0},
}
WAY_SETTINGS: Final[Mapping[Way, Mapping[str, int]]] = {
    Way.lazy: {"query_plan_optimize_lazy_materialization": 1, "query_plan_max_limit_for_lazy_materialization": 0},
    Way.plain_unindexed: {"use_skip_indexes": 0},
    Way.rewrite_unindexed: {"use_skip_indexes": 0},
}


def ours(profile: Profile) -> str:
    """Returns the name of Logsieve's layout with an index profile."""
    return f"logsieve {profile.value}"


def sides(placement: Placement) -> tuple[Side, ...]:
    """Returns all sides that answer the searches by words."""
    of_layouts: list[tuple[str, Engine, tuple[Way | Plan, ...]]] = []
    for layout in PEERS:
        own = (Way.own,) if layout.hours else ()
        of_layouts += [
            (layout.name, Engine.of_2024, (Way.plain, Way.lazy, Way.rewrite)),
            (layout.name, Engine.today, (Way.plain, Way.rewrite, *own)),
        ]
    for profile in Profile:
        distributed = (Way.distributed,) if placement is Placement.shards else ()
        of_layouts += [
            (ours(profile), Engine.of_2024, (Way.plain, Way.lazy, *Plan)),
            (ours(profile), Engine.today, (Way.plain, *Plan, *distributed)),
        ]
    return tuple(Side(placement, layout, way, engine) for layout, engine, ways in of_layouts for way in ways)


KNOWN_SIDES: Final = (
    Side(Placement.local, SEVERITY_KEY.name, Way.plain_unindexed, Engine.of_2024),
    Side(Placement.local, SEVERITY_KEY.name, Way.rewrite_unindexed, Engine.of_2024),
    Side(Placement.local, SEVERITY_KEY.name, Way.rewrite, Engine.of_2024),
    Side(Placement.local, SEVERITY_KEY.name, Way.plain, Engine.today),
    *(Side(Placement.local, ours(profile), Plan.auto, Engine.today) for profile in Profile),
)
"""Steps of the known case: one query, rewritten, with the index, then with a newer engine, then Logsieve's layout."""
