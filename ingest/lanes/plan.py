"""Decides which tenants move to which lane, so that no lane gets too many parts. Without I/O."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from schema.control.tenant_lanes import TenantPlace


class Group(NamedTuple):
    """The tenants of one cohort whose new records go to one lane. They move together, because a cohort that is on two
    lanes has twice as many parts."""

    lane: int
    cohort: str


PartsOf = Mapping[Group, int]
"""Largest number of active parts on one server, of each cohort on each lane."""


@dataclass(frozen=True, slots=True)
class LaneBounds:
    """Bounds of all lanes.

    `full`: parts above which tenants move to other lanes. `lanes`: largest number of lanes. `slow`: parts above which
    tenants move if planning takes too much of the searches' time. 1,000 parts take 7 ms of CPU, as much as the other
    work of a statement that reads little.
    """

    full: int
    lanes: int
    slow: int = 1_000


@dataclass(frozen=True, slots=True)
class LanePlan:
    """Lanes to create, and the lane to which each group moves. `stuck` are lanes that stay full after the moves."""

    created: tuple[int, ...] = ()
    moves: Mapping[Group, int] = field(default_factory=dict)
    stuck: tuple[int, ...] = ()


def plan_moves(
    tenants: Iterable[TenantPlace],
    parts: PartsOf,
    lanes: Sequence[int],
    bounds: LaneBounds,
    slow: Collection[int] = (),
) -> LanePlan:
    """Returns the lanes to create, and the moves that bring full lanes down to half of their limit.

    A lane is full above `bounds.full` parts. A lane in `slow`, whose searches spend too much time on planning, is full
    above `bounds.slow` parts. The limit of a full lane is its present number of parts, at most `bounds.full`. The
    largest cohort of a lane stays, and so does a group for which no other lane has room. A group moves to the lane with
    the fewest parts if that lane is then at most half full, otherwise to a new lane. If there are `bounds.lanes` lanes
    already, the group moves to the lane with the fewest parts if that lane is then within the limit.
    """
    loads = _Loads(tenants, parts, lanes)
    created, moves, stuck = list[int](), dict[Group, int](), list[int]()
    slow = {lane for lane in slow if loads.with_left_parts(lane) > bounds.slow}
    full = [lane for lane in loads.lanes if lane in slow or loads.with_left_parts(lane) > bounds.full]
    for lane in full:
        most = min(bounds.full, loads.with_left_parts(lane)) if lane in slow else bounds.full
        # Lanes are filled up to half, so that they are not full again soon.
        half = most / 2
        for group in loads.leaving(lane, half):
            target = loads.target(group, half, closed=full)
            if target is None and len(loads.lanes) < bounds.lanes:
                target = loads.add_lane()
                created.append(target)
            if target is None:
                target = loads.target(group, most, closed=full)
            if target is not None:
                loads.move(group, target)
                moves[group] = target
        if loads.of(lane) > bounds.full:
            stuck.append(lane)
    return LanePlan(tuple(created), moves, tuple(stuck))


class _Loads:
    """Numbers of parts of the lanes: of the cohorts whose new records go to a lane, and of all that is stored on it."""

    def __init__(self, tenants: Iterable[TenantPlace], parts: PartsOf, lanes: Sequence[int]) -> None:
        self.lanes = sorted(lanes)
        self._cohorts: dict[int, set[str]] = defaultdict(set)
        for tenant in tenants:
            self._cohorts[tenant.lane].add(tenant.cohort)
        self._stored = defaultdict[int, int](int)
        on_lanes, stored = defaultdict[str, int](int), defaultdict[str, int](int)
        for cohorts in self._cohorts.values():
            for cohort in cohorts:
                on_lanes[cohort] += 1
        for group, count in parts.items():
            stored[group.cohort] += count
            self._stored[group.lane] += count
        # A cohort that moved has its parts on two lanes until its retention ends. All of them count for the new lane.
        self._parts = {cohort: -(-stored[cohort] // count) for cohort, count in on_lanes.items()}

    def of(self, lane: int) -> int:
        """Returns the parts of the lane's tenants, with those that they left on other lanes."""
        return sum(self._parts[cohort] for cohort in self._cohorts[lane])

    def with_left_parts(self, lane: int) -> int:
        """Returns the larger of two numbers: parts of the lane's tenants, and parts that are stored on the lane."""
        return max(self.of(lane), self._stored[lane])

    def leaving(self, lane: int, half: float) -> Iterator[Group]:
        """Yields the groups that have to leave the lane, the largest first."""
        kept = 0
        for cohort in sorted(self._cohorts[lane], key=lambda each: (-self._parts[each], each)):
            if kept and kept + self._parts[cohort] > half:
                yield Group(lane, cohort)
            else:
                kept += self._parts[cohort]

    def target(self, group: Group, most: float, closed: Sequence[int]) -> int | None:
        """Returns the lane with the fewest parts if, with the group, it has at most `most`. Otherwise returns None.

        Leaves out lanes that have the cohort already. Two groups of one cohort on one lane would become one group, and
        this class would expect only half of the cohort's parts.
        """
        open_lanes = [each for each in self.lanes if each not in closed and group.cohort not in self._cohorts[each]]
        least = min(open_lanes, key=self.with_left_parts, default=None)
        too_full = least is None or self.with_left_parts(least) + self._parts[group.cohort] > most
        return None if too_full else least

    def add_lane(self) -> int:
        """Adds the lane with the smallest free number, and returns the number. A restored control plane may have gaps
        between its lanes, and the search user may read only lanes with numbers below the largest number of lanes."""
        added = min(set(range(len(self.lanes) + 1)).difference(self.lanes))
        self.lanes.append(added)
        return added

    def move(self, group: Group, target: int) -> None:
        self._cohorts[group.lane].remove(group.cohort)
        self._cohorts[target].add(group.cohort)
