"""Tests of grouping accuracy: its definition, the labelled files, and the accuracy over loghub where it is present."""

from collections.abc import Sequence
from pathlib import Path
from statistics import mean

import pytest

from kit.errors import InvalidRequest
from loadtest.patterns.labels import grouping_accuracy, read_labelled
from loadtest.patterns.measure import CONTENDERS
from loadtest.patterns.study import ACCURACY_GOAL, LOGSIEVE
from tests.loghub.lines import LOGHUB


@pytest.mark.parametrize(
    ("groups", "accuracy"),
    [
        ((7, 7, 8, 8, 9), 1.0),
        # One event in two groups: all its messages are wrong.
        ((7, 6, 8, 8, 9), 0.6),
        # Two events in one group: the messages of both are wrong.
        ((7, 7, 7, 7, 9), 0.2),
        # One message in the group of another event makes both events wrong.
        ((7, 8, 8, 8, 9), 0.2),
        ((1, 2, 3, 4, 4), 0.0),
    ],
)
def test_a_group_counts_if_it_has_exactly_the_messages_of_an_event(groups: Sequence[int], accuracy: float) -> None:
    assert grouping_accuracy("aabbc", groups) == pytest.approx(accuracy)


def test_labels_must_be_of_the_same_messages() -> None:
    with pytest.raises(ValueError, match="2 messages have an event, and 1 a group"):
        grouping_accuracy("ab", (1,))
    with pytest.raises(ValueError, match="at least one message"):
        grouping_accuracy("", ())


def test_labelled_files_are_read_by_system(tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest, match="has no files"):
        read_labelled(tmp_path)
    (tmp_path / "templates").mkdir()
    file = tmp_path / "templates" / "Web_2k.csv"
    file.write_text('line,event_id,content,template\n1,E2,"a, ""b""",a <*>\n2,E1,c,c\n')
    [web] = read_labelled(tmp_path)
    assert (web.system, web.messages, web.events) == ("Web", ('a, "b"', "c"), ("E2", "E1"))
    file.write_text("line,content\n1,a\n")
    with pytest.raises(InvalidRequest, match="has no column 'event_id'"):
        read_labelled(tmp_path)


@pytest.mark.skipif(not LOGHUB.is_dir(), reason=f"the loghub files are not at {LOGHUB}")
def test_patterns_of_real_logs_reach_the_goal() -> None:
    group = CONTENDERS[LOGSIEVE]
    accuracies = [grouping_accuracy(each.events, group(each.messages)) for each in read_labelled(LOGHUB)]
    assert len(accuracies) == 10
    assert mean(accuracies) >= ACCURACY_GOAL
