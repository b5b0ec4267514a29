import random

import pytest

from schema.tenant_partitions import (
    DEFAULT_WAYS,
    KEEP_NS,
    MAX_WAYS,
    MORE_KEYS_NS,
    UNCHANGED,
    murmur2,
    partition_of,
    partitions_of,
    possible_partitions,
    tenant_key,
)


@pytest.mark.parametrize(
    ("data", "hashed"),
    [
        (b"21", -973932308),
        (b"foobar", -790332482),
        (b"a-little-bit-long-string", -985981536),
        (b"a-little-bit-longer-string", -1486304829),
        (b"lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58897971),
        (b"abc", 479470107),
    ],
)
def test_the_hash_is_that_of_kafkas_own_tests(data: bytes, hashed: int) -> None:
    assert murmur2(data) == hashed % 2**32


def test_a_tenant_is_in_no_other_partitions_than_its_keys_are() -> None:
    keys = [tenant_key(7, way) for way in range(MAX_WAYS)]
    assert keys[:2] == [b"7", b"7/1"]
    assert partitions_of(7, 100) == {partition_of(key, 100) for key in keys[:DEFAULT_WAYS]}
    assert partitions_of(7, 100, MAX_WAYS) == {partition_of(key, 100) for key in keys}
    assert partitions_of(7, 1, MAX_WAYS) == {0}


def test_partitions_of_a_former_size_of_the_topic_may_have_the_tenants_messages() -> None:
    own, former = partitions_of(7, 100), partitions_of(7, 31)
    assert former - partitions_of(7, 100, MAX_WAYS)
    for named in (own, former, own | former, partitions_of(7, 100, MAX_WAYS)):
        assert possible_partitions(7, named, 100, DEFAULT_WAYS) == named


def test_partitions_of_other_tenants_do_not_have_the_tenants_messages() -> None:
    own, possible = partitions_of(7, 100), partitions_of(7, 100, MAX_WAYS)
    assert possible_partitions(7, frozenset(range(100)), 100, DEFAULT_WAYS) == possible
    assert possible_partitions(7, own | {200}, 100, DEFAULT_WAYS) == own
    foreign = frozenset(range(32)) - possible
    assert possible_partitions(7, own | foreign, 100, DEFAULT_WAYS) == own


def test_tails_read_at_least_the_keys_that_receivers_use_or_used() -> None:
    """Tests random changes of the number. Receivers notice a change late, and a tail may read from before one."""
    rng = random.Random(1)
    for _ in range(300):
        ways, now_ns, history = UNCHANGED, KEEP_NS, [(0, UNCHANGED)]
        for _ in range(5):
            now_ns += rng.choice((0, 1, MORE_KEYS_NS // 2, MORE_KEYS_NS, KEEP_NS // 2))
            ways = ways.changed(rng.randint(1, MAX_WAYS), now_ns)
            history.append((now_ns, ways))
        asked_ns = now_ns + rng.choice((0, MORE_KEYS_NS, KEEP_NS - 1))
        used = [
            each.written(at)
            for (start, each), (end, _) in zip(history, [*history[1:], (asked_ns + 1, ways)], strict=True)
            for at in (start, max(start, end - 1))
            if at > asked_ns - KEEP_NS
        ]
        assert ways.read(asked_ns) >= max(used)


def test_receivers_use_no_key_that_a_tail_may_not_have_heard_of() -> None:
    """Tests random changes that follow each other quickly. A tail may know the control plane as it was just less than
    MORE_KEYS_NS before."""
    rng = random.Random(2)
    for _ in range(300):
        ways, now_ns, history = UNCHANGED, KEEP_NS, [(0, UNCHANGED)]
        for _ in range(5):
            now_ns += rng.choice((1, MORE_KEYS_NS // 6, MORE_KEYS_NS // 2, MORE_KEYS_NS, KEEP_NS // 2))
            ways = ways.changed(rng.randint(1, MAX_WAYS), now_ns)
            history.append((now_ns, ways))
            for later in (0, MORE_KEYS_NS // 2, MORE_KEYS_NS - 1, MORE_KEYS_NS):
                at = now_ns + later
                ends = [start for start, _ in history[1:]] + [at + 1]
                known = [
                    each.read(at) for (_, each), end in zip(history, ends, strict=True) if end > at - MORE_KEYS_NS + 1
                ]
                assert min(known) >= ways.written(at)


def test_receivers_use_more_keys_only_when_tails_read_them_and_fewer_at_once() -> None:
    more = UNCHANGED.changed(MAX_WAYS, KEEP_NS)
    assert (more.written(KEEP_NS + MORE_KEYS_NS - 1), more.read(KEEP_NS)) == (DEFAULT_WAYS, MAX_WAYS)
    assert more.written(KEEP_NS + MORE_KEYS_NS) == MAX_WAYS
    assert more.changed(MAX_WAYS, 2 * KEEP_NS) is more

    fewer = more.changed(2, 3 * KEEP_NS)
    assert (fewer.written(3 * KEEP_NS), fewer.read(4 * KEEP_NS - 1), fewer.read(4 * KEEP_NS)) == (2, MAX_WAYS, 2)
