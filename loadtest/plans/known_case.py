"""The known case on the page: its steps, and in words what each gained or did not."""

from collections.abc import Sequence
from typing import Final

from loadtest.plans.report import KnownStep

_INTRODUCTION: Final = """
## The known case

A table sorted by tenant, service and severity before time, searched for severity INFO and above. The case
that this follows went from 60 s to under 30 s by the rewrite (2 times) and to 1 to 2 s by an index on the
words (30 to 60 times). The index here is ours of profile tokenbf.

| search | step | ms | times as fast | memory, MiB | read, MiB |
| --- | --- | ---: | ---: | ---: | ---: |"""

_NOTHING: Final = 1.1
"""Less than so many times as fast is no gain: rounds differ by as much."""
_AS_MUCH: Final = 0.9
"""So large a part of the bytes is all of them."""


def known_case(steps: Sequence[KnownStep]) -> list[str]:
    """Returns the section's lines."""
    lines = _INTRODUCTION.splitlines()
    for each in steps:
        lines.append(
            f"| `{each.query}` | {each.side} | {each.ms:,.1f} | {each.times_faster:.1f} |"
            f" {each.memory / 2**20:,.0f} | {_mib(each)} |"
        )
    for query in dict.fromkeys(each.query for each in steps):
        search = [each for each in steps if each.query == query]
        lines += ["", f"`{query}`:", "", *(f"- {sentence}" for sentence in explained(search))]
    return lines


def explained(search: Sequence[KnownStep]) -> list[str]:
    """Returns a sentence or two on each step of one search, in the order of KNOWN_SIDES, from its figures alone."""
    plain, rewrite, indexed, today, tokenbf, text = search
    return [
        f"Where the case gained 2 and 30 to 60 times, this is {rewrite.times_faster:.1f} and"
        f" {indexed.times_faster:.1f}.",
        _rewritten(plain, rewrite),
        _indexed(plain, rewrite, indexed),
        _today(indexed, today),
        f"Our tables: {tokenbf.times_faster:.1f} times as fast as the first step with tokenbf,"
        f" {text.times_faster:.1f} with text.",
    ]


def _rewritten(plain: KnownStep, rewrite: KnownStep) -> str:
    times = _times(plain, rewrite)
    read = f"it reads {_mib(rewrite)} MiB, the plain query {_mib(plain)}"
    if times >= _NOTHING:
        return f"The rewrite is {times:.1f} times as fast as the plain query: {read}."
    slower = "no faster" if times >= 1 / _NOTHING else "slower"
    sentence = f"The rewrite does not gain, it is {slower} ({times:.1f} times as fast as the plain query): {read}."
    if rewrite.bytes_read < _AS_MUCH * plain.bytes_read:
        return sentence
    return f"{sentence} The condition reads the bodies in the subquery as well, and the page's rows are read after it."


def _indexed(plain: KnownStep, rewrite: KnownStep, indexed: KnownStep) -> str:
    times, in_all = _times(rewrite, indexed), _times(plain, indexed)
    if times < _NOTHING:
        return f"The index adds nothing to the rewrite ({times:.1f} times); it reads {_mib(indexed)} MiB with it."
    still = "" if in_all >= _NOTHING else f", and still does not gain over the plain query without one ({in_all:.1f})"
    return (
        f"The index makes the rewrite {times:.1f} times as fast as it is without: it reads {_mib(indexed)} MiB{still}."
    )


def _today(indexed: KnownStep, today: KnownStep) -> str:
    times = _times(indexed, today)
    if times < 1:
        return f"Today's engine with one plain query is slower than the rewrite of 2024 ({times:.1f} times as fast)."
    return (
        f"Today's engine with one plain query is {times:.1f} times as fast as the rewrite of 2024 with the same index,"
        f" {today.times_faster:.1f} times as fast as the first step. It fetches wide columns late, for the rows of the"
        " page alone (lazy materialization), which the rewrite does by hand, and it asks the index as it reads."
    )


def _times(slow: KnownStep, fast: KnownStep) -> float:
    return slow.ms / fast.ms


def _mib(step: KnownStep) -> str:
    return f"{step.bytes_read / 2**20:,.1f}"
