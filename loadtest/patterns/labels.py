"""Reads labelled messages, and compares groups of messages with their labels."""

import csv
from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kit.errors import InvalidRequest

_SUFFIX: Final = "_2k.csv"


@dataclass(frozen=True, slots=True)
class Labelled:
    """Messages of one system in the order in which they were logged, and the event id of each."""

    system: str
    messages: tuple[str, ...]
    events: tuple[str, ...]


def read_labelled(folder: Path) -> list[Labelled]:
    """Reads the `templates/SYSTEM_2k.csv` below `folder`, which have columns `event_id` and `content`.

    Returns the systems by name. Raises InvalidRequest if there is no such file, or one lacks a column.
    """
    files = sorted((folder / "templates").glob(f"*{_SUFFIX}"))
    if not files:
        raise InvalidRequest(f"{folder / 'templates'} has no files *{_SUFFIX}; --data is the folder that contains it")
    systems = []
    for file in files:
        with file.open(newline="", encoding="utf-8") as text:
            rows = list(csv.DictReader(text))
        try:
            messages, events = (tuple(row[name] for row in rows) for name in ("content", "event_id"))
        except KeyError as error:
            raise InvalidRequest(f"{file} has no column {error}; it needs event_id and content") from error
        systems.append(Labelled(file.name.removesuffix(_SUFFIX), messages, events))
    return systems


def grouping_accuracy(events: Sequence[Hashable], groups: Sequence[Hashable]) -> float:
    """Returns the share of messages, 0 to 1, whose group has exactly the messages of their event.

    Zhu et al., "Tools and Benchmarks for Automated Log Parsing" (ICSE 2019), define this measure. Both sequences have a
    label for each message. Raises ValueError if their lengths differ or there are no messages.
    """
    if not events:
        raise ValueError("accuracy needs at least one message")
    if len(events) != len(groups):
        raise ValueError(f"{len(events)} messages have an event, and {len(groups)} a group")
    in_event = _members(events)
    right = (members for members in _members(groups).values() if in_event[events[members[0]]] == members)
    return sum(map(len, right)) / len(events)


def _members(labels: Sequence[Hashable]) -> dict[Hashable, list[int]]:
    members: defaultdict[Hashable, list[int]] = defaultdict(list)
    for place, label in enumerate(labels):
        members[label].append(place)
    return members
