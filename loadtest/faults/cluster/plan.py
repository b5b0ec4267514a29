"""Plans the failures of a cluster from a seed: kills of servers and loaders, servers that hang, one that is wiped."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from kit.topology import Place
from loadtest.faults.plan import spread
from loadtest.services import loader_name, node_name


class Failure(StrEnum):
    """Kind of a failure, as tables show it."""

    node_killed = "server killed"  # SIGKILL; the supervisor starts it again
    node_hangs = "server hangs"  # SIGSTOP, and SIGCONT some seconds later
    node_wiped = "server wiped, filled again"  # it loses its files, and is filled from another replica
    loader_killed = "loader killed"

    @property
    def is_kill(self) -> bool:
        return self in (Failure.node_killed, Failure.loader_killed)


@dataclass(frozen=True, slots=True)
class Step:
    """One failure of one service. `place` is the server that fails, or the first server that a loader fills."""

    failure: Failure
    service: str
    place: Place


def plan_cluster(seed: int, kills: int, places: Sequence[Place]) -> tuple[Step, ...]:
    """Returns `kills` kills, a hang of each server, and one wiped server, in random order.

    Kills are spread evenly over the servers in `places` and the loaders of their replicas.
    """
    rng = random.Random(seed)
    nodes = [Step(Failure.node_killed, node_name(place), place) for place in places]
    loaders = [
        Step(Failure.loader_killed, loader_name(replica), Place(0, replica))
        for replica in sorted({place.replica for place in places})
    ]
    steps = spread(rng, kills, nodes + loaders)
    steps += [Step(Failure.node_hangs, node_name(place), place) for place in places]
    wiped = rng.choice(places)
    steps.append(Step(Failure.node_wiped, node_name(wiped), wiped))
    rng.shuffle(steps)
    return tuple(steps)
