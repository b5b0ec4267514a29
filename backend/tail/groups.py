"""The groups of all attached tails, by their query, by their tenant and by the partitions that they need."""

from collections.abc import Collection, Iterator

from backend.tail.group import Group, TailedQuery
from backend.tail.queue import TailQueue
from kit import metrics


class Groups(Collection[Group]):
    """Groups by their queries. Each has at least one tail. Sets the metric of attached tails. For use by one thread."""

    def __init__(self) -> None:
        self._groups: dict[TailedQuery, Group] = {}

    def __len__(self) -> int:
        return len(self._groups)

    def __iter__(self) -> Iterator[Group]:
        return iter(self._groups.values())

    def __contains__(self, group: object) -> bool:
        return group in self._groups.values()

    def of_query(self, query: TailedQuery, count: int) -> Group:
        """Returns the group of a query, or a new one that is not attached, in a topic with `count` partitions."""
        return self._groups.get(query) or Group(query, query.partitions(count))

    def of_tenant(self, tenant_id: int | None) -> list[Group]:
        """Returns the groups of the tenant."""
        return [group for group in self if group.query.tenant_id == tenant_id]

    def reading(self, partition: int) -> list[Group]:
        """Returns the groups that need the partition."""
        return [group for group in self if partition in group.partitions]

    def partitions(self) -> frozenset[int]:
        """Returns the partitions that any group needs."""
        return frozenset[int]().union(*(group.partitions for group in self))

    def attach(self, group: Group, tail: TailQueue) -> None:
        """Adds the tail to the group, and the group if it is new."""
        self._groups[group.query] = group
        group.members.add(tail)
        self._count()

    def detach(self, query: TailedQuery, tail: TailQueue) -> None:
        """Removes the tail, and its group if no tail is left in it. Does nothing if the tail was not attached."""
        if (group := self._groups.get(query)) is None:
            return
        group.members.discard(tail)
        if not group.members:
            del self._groups[query]
        self._count()

    def remove(self, groups: Collection[Group]) -> None:
        """Removes the groups with all their tails."""
        for group in groups:
            del self._groups[group.query]
        self._count()

    def _count(self) -> None:
        metrics.gauge(metrics.TAIL_ACTIVE).set(sum(len(group.members) for group in self))
