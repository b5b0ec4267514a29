import pytest

from schema.tenant_partitions import MAX_WAYS, murmur2, partition_of, partitions_of, tenant_key


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
    assert partitions_of(7, 100) == {partition_of(key, 100) for key in keys}
    assert partitions_of(7, 1) == {0}
