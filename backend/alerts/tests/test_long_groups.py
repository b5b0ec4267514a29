"""Tests how many bytes a group with long values takes."""

from backend.alerts.groups import group_from_json, group_to_json
from backend.alerts.observe import VALUE_CHARACTERS, _group


def test_long_values_of_groups_are_cut_and_stay_different() -> None:
    first, other, short = [_group([value, None]) for value in ("a" * 10**6, "a" * 10**6 + "b", "a" * VALUE_CHARACTERS)]
    assert len(first[0] or "") < VALUE_CHARACTERS + 20
    assert first != other
    assert short == ("a" * VALUE_CHARACTERS, None)


def test_the_values_of_a_group_are_short_together() -> None:
    shortest = _group(["a" * 128] * 8)
    assert shortest == ("a" * 128,) * 8
    longest = _group(["\N{GRINNING FACE}" * 10**4] * 8)
    assert group_from_json(group_to_json(longest)) == longest
    assert len(group_to_json(longest).encode()) < 5_000


def test_a_group_without_fields_has_no_values() -> None:
    assert _group([]) == ()
