"""Tests of the field that was probably meant by an unknown name."""

import pytest

from backend.fields.likely_names import MAX_COMPARED, MAX_COMPARED_CHARACTERS, likely_name

KNOWN = ["http.status_code", "user.id", "latency_ms", "k8s.pod.name", "error.type", "Region"]


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("level", "severity"),
        ("Level", "severity"),
        ("service.name", "service"),
        ("status_code", "http.status_code"),
        ("status", "http.status_code"),
        ("pod", "k8s.pod.name"),
        ("latency_msec", "latency_ms"),
        ("usr.id", "user.id"),
        ("region", "Region"),
        ("Service", "service"),
        ("severty", "severity"),
        ("colour", None),
        ("", None),
    ],
)
def test_the_likeliest_field(name: str, meant: str | None) -> None:
    assert likely_name(name, KNOWN) == meant


def test_the_more_frequent_of_two_is_taken() -> None:
    assert likely_name("status", ["http.status", "job.status"]) == "http.status"


def test_only_short_and_frequent_names_are_compared_letter_by_letter() -> None:
    long = "a" * MAX_COMPARED_CHARACTERS
    assert likely_name(f"{long[1:]}b", [long]) == long
    assert likely_name(f"{long}b", [f"{long}a"]) is None
    assert likely_name("attribut", [*map(str, range(MAX_COMPARED)), "attribute"]) is None
