"""Generates the story: plays scenes in the order of time until the requested number of records exists."""

import random
from collections.abc import Iterator

from kit.errors import InvalidRequest
from stack.samples.background import housekeeping
from stack.samples.incident import chronicle, failing_checkout, starved_database
from stack.samples.record import SampleRecord
from stack.samples.scene import Scene
from stack.samples.shop import Fleet
from stack.samples.shopping import CALM
from stack.samples.timeline import Timeline

MIN_RECORDS = 500
"""Smallest number of records that contains the whole story."""


def generate(seed: int, end_ns: int, count: int) -> Iterator[SampleRecord]:
    """Yields exactly `count` records of the 6 hours before `end_ns` (Unix nanoseconds), oldest first.

    Equal arguments give equal records. Raises InvalidRequest when `count` is below MIN_RECORDS.
    """
    if count < MIN_RECORDS:
        raise InvalidRequest(f"samples need at least {MIN_RECORDS} records, got {count}")
    rng = random.Random(seed)
    timeline = Timeline(end_ns)
    fleet = Fleet(rng, timeline)
    records = list(chronicle(fleet, timeline, lambda at_ns: Scene(rng, fleet, at_ns, traced=False)))
    while len(records) < count:
        scene = _scene(rng, fleet, timeline)
        records += (record for record in scene.records if record.timestamp_ns < end_ns)
    return iter(sorted(records[:count], key=lambda record: record.timestamp_ns))


def _scene(rng: random.Random, fleet: Fleet, timeline: Timeline) -> Scene:
    at_ns = timeline.moment(rng)
    choice = rng.random()
    if timeline.in_incident(at_ns) and choice < 0.5:
        scene = Scene(rng, fleet, at_ns, traced=choice > 0.06)
        (failing_checkout if choice > 0.06 else starved_database)(scene)
    elif choice > 0.8:
        scene = Scene(rng, fleet, at_ns, traced=False)
        housekeeping(scene)
    else:
        scene = Scene(rng, fleet, at_ns)
        [play] = rng.choices([play for play, _ in CALM], [often for _, often in CALM])
        play(scene)
    return scene
