"""Report of the hostile study: the victims' times beside each attack, and the answers to the attack."""

from collections.abc import Mapping, Sequence
from functools import partial
from math import inf
from typing import Final

from loadtest.hostile.picture import Measure, draw
from loadtest.report.correctness import Correctness
from loadtest.report.report import Part, Picture, Report, Row, Table, at_most, none_of

NAMES: Final = "950,000 attribute names in one request"
"""Name of the attack that has additional goals, `NAMES_…`."""
RATIO: Final = 2.0
"""Largest permitted ratio of the victims' 99th percentiles beside an attack to those alone."""
SEARCHABLE_SECONDS: Final = 10.0
NAMES_ANSWER_SECONDS: Final = 5.0
NAMES_CLICKHOUSE_MIB: Final = 500
NAMES_SEARCHABLE_SECONDS: Final = 5.0
MIB: Final = 2**20
_OVER_ALONE: Final = ": beside the worst attack over alone"
NEVER: Final = "refused"
"""Text shown instead of a time if more than 1 % of requests were refused, failed or not found in time."""


class VictimPercentiles(Part):
    """99th percentiles of the victims' times in seconds.

    None means that more than 1 % were refused, failed or not found in time. `acknowledged` and `searchable` are by
    victim. `search` is over all victims, because searches do not depend on the topic's partitions.
    """

    exports: int
    searches: int
    refused: int
    acknowledged: dict[str, float | None]
    searchable: dict[str, float | None]
    search: float | None

    @property
    def slowest(self) -> float | None:
        """Longest time from acknowledged to searchable of all victims. None if it is None for one of them."""
        return max(self.searchable.values(), key=_sortable)

    def over(self, alone: "VictimPercentiles") -> dict[tuple[str, str], float | None]:
        """Returns the time beside the attack over the time without it, for each kind of answer and each victim."""
        pairs = {
            ("acknowledgement", f", victim on {victim}"): (seconds, alone.acknowledged[victim])
            for victim, seconds in self.acknowledged.items()
        } | {("search", ""): (self.search, alone.search)}
        return {
            answer: None if beside is None or before is None else beside / before
            for answer, (beside, before) in pairs.items()
        }


class AttackResult(Part):
    """Results of one attack. `percentiles` are those of the victims' times beside it.

    `answers` counts the attack's answers, `seconds` is the time until its last answer. `growth` and `peak` are bytes of
    memory by service. `over_bound` names services that exceeded their memory bound, `ended` services that ended.
    """

    name: str
    does: str
    documented: str
    answers: dict[str, int]
    as_documented: bool
    seconds: float
    percentiles: VictimPercentiles
    growth: dict[str, int]
    peak: dict[str, int]
    over_bound: tuple[str, ...]
    ended: tuple[str, ...]


class HostileReport(Report, Correctness):
    first: VictimPercentiles
    last: VictimPercentiles
    alone: VictimPercentiles
    """Times of the first and the last phase together, with which the times beside attacks are compared."""
    attacks: tuple[AttackResult, ...]
    bounds: dict[str, str]
    """Text of the largest memory that the documentation allows, by service."""
    dead_letters: dict[str, int]
    """Number of messages that became dead letters, by error code."""

    def extent(self) -> dict[str, float]:
        return {each.name: 1 for each in self.attacks}

    def headline(self) -> tuple[Row, ...]:
        other = sum(not each.as_documented for each in self.attacks)
        over = sum(len(each.over_bound) for each in self.attacks)
        ended = sum(len(each.ended) for each in self.attacks)
        return (
            none_of(f"attacks of {len(self.attacks)} that were answered otherwise than documented", other),
            *(
                self._worst_row(f"{what}, 99th percentile{whose}{_OVER_ALONE}", ratios, RATIO)
                for (what, whose), ratios in self._ratios().items()
            ),
            self._worst_row(
                "from acknowledged to searchable, 99th percentile beside the worst attack",
                [each.percentiles.slowest for each in self.attacks],
                SEARCHABLE_SECONDS,
                " s",
            ),
            none_of("times that a process had more memory than its bound", over),
            none_of("processes that ended", ended),
            self.row("the victims' records that are wrong"),
            *(row for each in self.attacks if each.name == NAMES for row in _names(each)),
        )

    def tables(self) -> tuple[Table, ...]:
        times = ("acknowledged, near", "far", "search", "searchable, s")
        rows = tuple(
            (
                f"{each.name}: {each.does}",
                each.documented,
                counted(each.answers) + ("" if each.as_documented else " (**not documented**)"),
                *map(_number, each.percentiles.over(self.alone).values()),
                _number(each.percentiles.slowest),
                f"{each.percentiles.refused}",
                ", ".join(f"{name} +{grown / MIB:,.0f}" for name, grown in each.growth.items()),
            )
            for each in self.attacks
        )
        alone = (("before", self.first), ("after", self.last), ("together", self.alone))
        codes = tuple((code, f"{times:,}") for code, times in sorted(self.dead_letters.items()))
        bounds = tuple(
            (name, bound, f"{max(each.peak[name] for each in self.attacks) / MIB:,.0f}")
            for name, bound in self.bounds.items()
        )
        return (
            Table(
                "Beside each attack, 99th percentiles over those alone",
                ("attack", "documented", "answered", *times, "refused", "memory, MiB"),
                rows,
            ),
            Table(
                "The victims alone, 99th percentiles in ms",
                ("", "exports", "searches", *(f"acknowledged, {name}" for name in self.alone.acknowledged), "search"),
                tuple((name, *_alone_cells(times)) for name, times in alone),
            ),
            Table("Attackers' messages that became dead letters", ("code", "messages"), codes or (("none", "0"),)),
            Table("Memory", ("process", "bound", "largest peak, MiB"), bounds),
        )

    def pictures(self) -> tuple[Picture, ...]:
        ratios = {what + whose: values for (what, whose), values in self._ratios().items()}
        seconds = {
            f"victim on {victim}": [each.percentiles.searchable[victim] for each in self.attacks]
            for victim in self.alone.searchable
        }
        measures = (
            Measure("99th percentile over that alone", ratios, RATIO),
            Measure("acknowledged to searchable, 99th percentile, s", seconds, SEARCHABLE_SECONDS),
        )
        shows = "Dots for each attack: what victims' answers took over those alone, and when records became searchable"
        names = [each.name for each in self.attacks]
        return (Picture("hostile.svg", shows, partial(draw, attacks=names, measures=measures)),)

    def _ratios(self) -> dict[tuple[str, str], list[float | None]]:
        """Returns, for each kind of answer, how many times as long it took beside each attack as alone; None where too
        many answers failed."""
        every = [each.percentiles.over(self.alone) for each in self.attacks]
        return {answer: [each[answer] for each in every] for answer in self.alone.over(self.alone)}

    def _worst_row(self, what: str, values: Sequence[float | None], goal: float, unit: str = "") -> Row:
        """Returns the row of the largest of the values, of which there is one for each attack."""
        value, worst = max(
            zip(values, (each.name for each in self.attacks), strict=True), key=lambda pair: _sortable(pair[0])
        )
        return Row(
            f"{what} ({worst})",
            f"{_number(value)}{unit if value is not None else ''}",
            f"at most {goal:g}{unit}",
            value is not None and value <= goal,
        )


def _names(attack: AttackResult) -> tuple[Row, ...]:
    """Returns the rows of the additional goals of the attack NAMES."""
    grown, delay = attack.growth["clickhouse"] / MIB, attack.percentiles.slowest
    return (
        at_most(f"{NAMES}: answered after", attack.seconds, NAMES_ANSWER_SECONDS, ".1f", " s"),
        Row(
            f"{NAMES}: ClickHouse grows by",
            f"{grown:,.0f} MiB",
            f"less than {NAMES_CLICKHOUSE_MIB:,} MiB",
            grown < NAMES_CLICKHOUSE_MIB,
        ),
        Row(
            f"{NAMES}: from acknowledged to searchable, 99th percentile of the others",
            f"{_number(delay)} s",
            f"less than {NAMES_SEARCHABLE_SECONDS:g} s",
            delay is not None and delay < NAMES_SEARCHABLE_SECONDS,
        ),
    )


def _sortable(value: float | None) -> float:
    return inf if value is None else value


def _number(value: float | None, factor: int = 1, form: str = ".2f") -> str:
    return NEVER if value is None else f"{value * factor:{form}}"


def counted(answers: Mapping[str, int]) -> str:
    return ", ".join(f"{answer}: {times:,}" for answer, times in sorted(answers.items()))


def _alone_cells(found: VictimPercentiles) -> tuple[str, ...]:
    times = (*found.acknowledged.values(), found.search)
    return (f"{found.exports:,}", f"{found.searches:,}", *(_number(each, 1000, ".1f") for each in times))
