"""Prefixes in a trie of one dict per character."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from schema.attribute_rules import Action


@dataclass(slots=True)
class _Node:
    children: dict[str, "_Node"] = field(default_factory=dict)
    action: Action | None = None


class PlainTrie:
    def __init__(self, actions: Mapping[str, Action]) -> None:
        self._root = _Node()
        for prefix, action in actions.items():
            node = self._root
            for character in prefix:
                node = node.children.setdefault(character, _Node())
            node.action = action

    def action(self, name: str) -> Action | None:
        """What the longest prefix of the name says."""
        node, found = self._root, None
        for character in name:
            child = node.children.get(character)
            if child is None:
                break
            node = child
            found = node.action or found
        return found
