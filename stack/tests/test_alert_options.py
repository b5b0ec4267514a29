"""Tests which texts the options of `logsieve alert save` accept."""

from typing import Any

import pytest
import typer

from stack.cli.alert_options import channels_of, condition_of, pairs_of
from stack.cli.times import seconds_of


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("count() > 5", {"column": "count()", "comparison": ">", "threshold": 5.0}),
        ("p95(latency_ms)>=1.5e3", {"column": "p95(latency_ms)", "comparison": ">=", "threshold": 1500.0}),
        (" avg(ms)<=-1 ", {"column": "avg(ms)", "comparison": "<=", "threshold": -1.0}),
        ("count_if(status:>=500) == 0", {"column": "count_if(status:>=500)", "comparison": "==", "threshold": 0.0}),
        ("count() no_data", {"column": "count()", "comparison": "no_data", "threshold": None}),
    ],
)
def test_a_condition_is_read(text: str, condition: dict[str, Any]) -> None:
    assert condition_of(text) == condition


@pytest.mark.parametrize(
    "text", ["", "count()", "count() > ", "> 5", "count() > many", "no_data", "count() > nan", "count() < 1e999"]
)
def test_other_conditions_are_refused_with_an_example(text: str) -> None:
    with pytest.raises(typer.BadParameter, match="--when 'count"):
        condition_of(text)


def test_labels_and_headers_are_names_and_values() -> None:
    assert pairs_of(["team=check=out", "a = b"], "=", "--label") == {"team": "check=out", "a": "b"}
    assert pairs_of(["X-Token: a:b"], ":", "--header") == {"X-Token": "a:b"}
    for text in ("team", "=x"):
        with pytest.raises(typer.BadParameter, match="--label 'name=value'"):
            pairs_of([text], "=", "--label")


def test_each_url_is_a_channel_and_all_addresses_are_one() -> None:
    urls = {"webhook": ["https://a.example"], "slack": ["https://b.example"]}
    assert channels_of(urls, {"X": "y"}, ["a@b.example", "c@d.example"]) == [
        {"kind": "webhook", "url": "https://a.example", "headers": {"X": "y"}},
        {"kind": "slack", "url": "https://b.example", "headers": {"X": "y"}},
        {"kind": "email", "recipients": ["a@b.example", "c@d.example"]},
    ]
    assert channels_of({}, {}, []) == []


def test_a_duration_has_a_unit() -> None:
    assert [seconds_of(text) for text in ("0s", "90s", "5m", "2h", "7d")] == [0, 90, 300, 7200, 604_800]
    for text in ("5", "1w", "-5m", ""):
        with pytest.raises(typer.BadParameter, match="such as 5m"):
            seconds_of(text)
