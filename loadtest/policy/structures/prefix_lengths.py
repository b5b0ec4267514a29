"""Prefixes by hash, one look-up for each length that prefixes have, the longest first."""

from collections.abc import Mapping

from schema.attribute_rules import Action


class PrefixLengths:
    def __init__(self, actions: Mapping[str, Action]) -> None:
        self._actions = dict(actions)
        self._lengths = sorted({len(prefix) for prefix in actions}, reverse=True)

    def action(self, name: str) -> Action | None:
        """What the longest prefix of the name says."""
        for length in self._lengths:
            if (action := self._actions.get(name[:length])) is not None:
                return action
        return None
