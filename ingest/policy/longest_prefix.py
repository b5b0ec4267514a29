"""Finds the longest of many prefixes that a name begins with."""

from bisect import bisect_right
from collections.abc import Mapping

from schema.attribute_rules import Action


class LongestPrefix:
    """A trie packed into one sorted list: a prefix knows its next shorter one, its parent in the trie.

    Everything that begins a name sorts before it, and so does everything between the two: the longest prefix of a
    name is its predecessor in the list or an ancestor of that.
    """

    def __init__(self, actions: Mapping[str, Action]) -> None:
        self._prefixes = sorted(actions)
        self._actions = [actions[prefix] for prefix in self._prefixes]
        self._parents: list[int] = []
        for position, prefix in enumerate(self._prefixes):
            parent = position - 1
            while parent >= 0 and not prefix.startswith(self._prefixes[parent]):
                parent = self._parents[parent]
            self._parents.append(parent)

    def action(self, name: str) -> Action | None:
        """Returns the value of the longest prefix of the name; None where no prefix matches."""
        prefixes = self._prefixes
        position = bisect_right(prefixes, name) - 1
        while position >= 0:
            if name.startswith(prefixes[position]):
                return self._actions[position]
            position = self._parents[position]
        return None
