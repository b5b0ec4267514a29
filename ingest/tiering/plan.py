"""Decides which partitions move to the cold volume: old ones, and the oldest ones while a hot disk is too full."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from ingest.retention.partitions import TablePartition, end_of
from ingest.tiering.volumes import Tiers


@dataclass(frozen=True, slots=True)
class TierBounds:
    """Bounds that decide when partitions move to the cold volume.

    `after_days`: days after the end of a partition's day at which it moves; 0 means that age alone moves nothing.
    `target`: share of the hot disks, 0 to 1, above which older partitions move first. `cold_limit`: share of the cold
    disks, 0 to 1, that moves may fill at most.
    """

    after_days: int
    target: float
    cold_limit: float


def plan_moves(
    hot: Iterable[TablePartition], tiers: Tiers, bounds: TierBounds, now: datetime
) -> tuple[TablePartition, ...]:
    """Returns the partitions to move, oldest first. `hot` are partitions with parts on hot disks. Their `bytes` count
    only these parts.

    A partition moves when its day ended `after_days` ago. Younger ones move while the hot disks exceed the target,
    but none whose day has not ended. Nothing moves that would fill the cold disks beyond their limit.
    """
    ended = sorted((each for each in hot if end_of(each.day) <= now), key=lambda each: (each.day, each.table, each.id))
    excess, room = _excess(tiers, bounds.target), _room(tiers, bounds.cold_limit)
    moves = []
    for each in ended:
        is_old = bounds.after_days > 0 and end_of(each.day) + timedelta(days=bounds.after_days) <= now
        if not is_old and excess <= 0:
            break
        if room is not None:
            if each.bytes > room:
                continue
            room -= each.bytes
        excess -= each.bytes
        moves.append(each)
    return tuple(moves)


def _excess(tiers: Tiers, target: float) -> int:
    """Returns the bytes by which hot disks exceed the target, all together; 0 if moves free nothing."""
    if tiers.share_a_disk:
        return 0
    return sum(max(0, disk.used - int(disk.total * target)) for disk in tiers.hot)


def _room(tiers: Tiers, limit: float) -> int | None:
    """Returns the bytes that may be moved to the cold disks; None for any number."""
    if tiers.share_a_disk or not all(disk.is_local for disk in tiers.cold):
        return None
    return sum(max(0, int(disk.total * limit) - disk.used) for disk in tiers.cold)
