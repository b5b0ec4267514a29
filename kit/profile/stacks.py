"""Folds sampled stacks: counts how often each stack was seen. Pure."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from kit.profile.wait_frames import wait_of

Stack = tuple[str, ...]
"""Names of frames, the outermost first. The first one is the name of the thread."""
Stacks = Mapping[Stack, int]
"""Number of samples of each stack."""

THREAD_STARTS: Final = frozenset(("start_thread", "__libc_start_call_main"))
"""Outermost functions that are shown. Their callers are left out, because these differ between systems."""


class Source(StrEnum):
    """System table that the samples are from."""

    trace_log = "system.trace_log"
    stack_trace = "system.stack_trace"


class Kind(StrEnum):
    """`real`: sampled by wall-clock time. `cpu`: sampled by CPU time."""

    real = "Real"
    cpu = "CPU"


@dataclass(frozen=True, slots=True)
class Sample:
    """Stack of one thread at one moment: addresses of its frames, the innermost first."""

    kind: Kind
    thread: str
    query_id: str
    addresses: tuple[int, ...]
    count: int = 1
    """Number of times that the stack was sampled."""


@dataclass(frozen=True, slots=True)
class Profile:
    """Folded stacks by wall-clock time and by CPU time."""

    real: Stacks
    cpu: Stacks


def fold(samples: Iterable[Sample], names: Mapping[int, str], source: Source) -> Profile:
    """Counts equal stacks. An address without a name becomes hexadecimal.

    Samples of system.stack_trace are all `real`. Those in which the thread does not wait are also counted as CPU.
    """
    counted: dict[Kind, Counter[Stack]] = {kind: Counter() for kind in Kind}
    for sample in samples:
        stack = (sample.thread, *_frames(sample.addresses, names))
        counted[sample.kind][stack] += sample.count
        if source is Source.stack_trace and wait_of(stack) is None:
            counted[Kind.cpu][stack] += sample.count
    return Profile(counted[Kind.real], counted[Kind.cpu])


def below(frame: str, profile: Profile) -> Profile:
    """Returns the profile with a further outermost frame in each stack."""
    real, cpu = ({(frame, *stack): n for stack, n in stacks.items()} for stacks in (profile.real, profile.cpu))
    return Profile(real, cpu)


def merged(profiles: Iterable[Profile]) -> Profile:
    """Returns the sum of profiles."""
    real: Counter[Stack] = Counter()
    cpu: Counter[Stack] = Counter()
    for profile in profiles:
        real.update(profile.real)
        cpu.update(profile.cpu)
    return Profile(real, cpu)


def pruned(stacks: Stacks, smallest: float) -> dict[Stack, int]:
    """Cuts each stack below its last frame that has at least `smallest` (0 to 1) of all samples. Keeps the total."""
    inside: Counter[Stack] = Counter()
    for stack, count in stacks.items():
        for length in range(1, len(stack) + 1):
            inside[stack[:length]] += count
    least = smallest * sum(stacks.values())
    kept: Counter[Stack] = Counter()
    for stack, count in stacks.items():
        length = len(stack)
        while length > 1 and inside[stack[:length]] < least:
            length -= 1
        kept[stack[:length]] += count
    return dict(kept)


def _frames(addresses: Iterable[int], names: Mapping[int, str]) -> Iterable[str]:
    found: list[str] = []
    for address in addresses:
        name = names.get(address) or f"{address:#x}"
        found.append(name)
        if name in THREAD_STARTS:
            break
    return reversed(found)
