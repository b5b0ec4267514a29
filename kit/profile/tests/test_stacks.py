"""Tests that stacks are folded, laid out and listed without losing a sample."""

import itertools
from collections import defaultdict

from hypothesis import given
from hypothesis import strategies as st

from kit.profile.flames import rectangles
from kit.profile.places import places
from kit.profile.stacks import Kind, Profile, Sample, Source, Stack, below, fold, merged, pruned

NAMES = {
    1: "syscall",
    2: "DB::SharedMutex::lock_shared",
    3: "DB::plan",
    4: "start_thread",
    5: "__clone3",
    6: "DB::scan",
}
FRAMES = st.sampled_from(("a", "b", "c", "syscall", "pthread_cond_wait"))
STACKS = st.dictionaries(st.lists(FRAMES, min_size=1, max_size=6).map(tuple), st.integers(1, 50), max_size=25)


def sample(*addresses: int, kind: Kind = Kind.real, count: int = 1) -> Sample:
    return Sample(kind, "QueryPipelineEx", "q", addresses, count)


def test_equal_stacks_are_counted_from_the_thread_inwards() -> None:
    profile = fold([sample(6, 3, 4, 5), sample(6, 3, 4), sample(9, 4)], NAMES, Source.stack_trace)

    assert profile.real == {
        ("QueryPipelineEx", "start_thread", "DB::plan", "DB::scan"): 2,
        ("QueryPipelineEx", "start_thread", "0x9"): 1,
    }


def test_a_snapshot_of_a_waiting_thread_is_real_and_not_cpu() -> None:
    waiting, running = sample(1, 2, 3, 4), sample(6, 3, 4)

    profile = fold([waiting, running, running], NAMES, Source.stack_trace)

    assert sum(profile.real.values()) == 3
    assert dict(profile.cpu) == {("QueryPipelineEx", "start_thread", "DB::plan", "DB::scan"): 2}


def test_samples_of_the_trace_log_keep_their_kind() -> None:
    samples = [sample(6, 3, count=7), sample(6, 3, kind=Kind.cpu, count=5), sample(1, 2, 3, count=2)]

    profile = fold(samples, NAMES, Source.trace_log)

    assert (sum(profile.real.values()), sum(profile.cpu.values())) == (9, 5)


def test_a_lock_wait_is_listed_by_the_function_that_wanted_the_lock() -> None:
    profile = fold([sample(1, 2, 3, 4)] * 3 + [sample(6, 3, 4)], NAMES, Source.stack_trace)

    first, second = places(profile)

    assert (first.frame, first.waits_in, first.real, first.cpu, first.waits) == ("DB::scan", "", 0.25, 1.0, False)
    assert (second.frame, second.waits_in, second.real, second.cpu, second.waits) == (
        *("DB::plan", NAMES[2]),
        *(0.75, 0.0, True),
    )


def test_profiles_of_servers_are_added_below_their_names() -> None:
    stacks: dict[Stack, int] = {("t", "a"): 2}

    both = merged([below("shard 0", Profile(stacks, {})), below("shard 1", Profile(stacks, stacks))])

    assert both.real == {("shard 0", "t", "a"): 2, ("shard 1", "t", "a"): 2}
    assert both.cpu == {("shard 1", "t", "a"): 2}


@given(STACKS)
def test_rectangles_have_the_widths_of_their_samples(stacks: dict[Stack, int]) -> None:
    found = {each.stack: each for each in rectangles(stacks)}

    total = sum(stacks.values())
    assert sum(each.samples for each in found.values() if each.depth == 0) == total
    inside: dict[Stack, int] = defaultdict(int)
    for each in found.values():
        inside[each.stack[:-1]] += each.samples
    for stack, each in found.items():
        assert inside[stack] + stacks.get(stack, 0) == each.samples, "callees and the frame itself fill a frame"
        if caller := found.get(stack[:-1]):
            assert caller.left <= each.left
            assert each.left + each.samples <= caller.left + caller.samples
    for depth in range(6):
        row = sorted((each.left, each.samples) for each in found.values() if each.depth == depth)
        assert all(left + width <= after for (left, width), (after, _) in itertools.pairwise(row))


@given(STACKS, STACKS)
def test_shares_of_all_places_sum_to_one(real: dict[Stack, int], cpu: dict[Stack, int]) -> None:
    found = places(Profile(real, cpu))

    assert abs(sum(place.real for place in found) - bool(real)) < 1e-9
    assert abs(sum(place.cpu for place in found) - bool(cpu)) < 1e-9


@given(STACKS, st.floats(0, 1))
def test_cut_stacks_have_as_many_samples(stacks: dict[Stack, int], smallest: float) -> None:
    kept = pruned(stacks, smallest)

    assert sum(kept.values()) == sum(stacks.values())
    assert all(any(stack[: len(each)] == each for stack in stacks) for each in kept)
    assert pruned(stacks, 0) == stacks
