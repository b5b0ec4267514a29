"""Report of the hostile study: the victims' times beside each attack, and the answers to the attack."""

from collections.abc import Mapping
from functools import partial
from typing import Final

from pydantic import computed_field

from loadtest.hostile.picture import Measure, draw
from loadtest.report.correctness import Correctness
from loadtest.report.report import Part, Picture, Report, Row, Table, none_of

NAMES: Final = "950,000 attribute names in one request"
"""Name of the attack that has additional goals."""
MIB: Final = 2**20
NEVER: Final = "refused"
"""Text shown instead of a time if more than 1 % of requests were refused, failed or not found in time."""


class Felt(Part):
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


class Beside(Part):
    """One attack, and the victims' times beside it.

    `answers` counts the attack's answers, `seconds` is the time until its last answer. `growth` and `peak` are bytes of
    memory by service. `over_bound` names services that exceeded their memory bound, `ended` services that ended.
    """

    name: str
    does: str
    documented: str
    answers: dict[str, int]
    as_documented: bool
    seconds: float
    felt: Felt
    growth: dict[str, int]
    peak: dict[str, int]
    over_bound: tuple[str, ...]
    ended: tuple[str, ...]


class Goals(Part):
    """Largest permitted values. `names` is the attack with many attribute names, to which `names_…` apply."""

    ratio: float = 2.0
    searchable_seconds: float = 10.0
    names: str = NAMES
    names_answer_seconds: float = 5.0
    names_clickhouse_bytes: int = 500 * MIB
    names_searchable_seconds: float = 5.0


class HostileReport(Report, Correctness):
    first: Felt
    last: Felt
    alone: Felt
    """Times of the first and the last phase together, with which the times beside attacks are compared."""
    attacks: tuple[Beside, ...]
    goals: Goals = Goals()
    bounds: dict[str, str]
    """Text of the largest memory that the documentation allows, by service."""
    dead_letters: dict[str, int]
    """Number of messages that became dead letters, by error code."""

    @computed_field  # type: ignore[prop-decorator]
    @property
    def passed(self) -> bool:
        """True if no goal was missed. A small run ignores goals that depend on the machine's speed."""
        rows = self._firm_rows() if self.smoke else self.headline()
        return all(row.met is not False for row in rows)

    def _firm_rows(self) -> tuple[Row, Row, Row, Row]:
        """Returns the rows whose goals do not depend on the machine's speed."""
        other = sum(not each.as_documented for each in self.attacks)
        over = sum(len(each.over_bound) for each in self.attacks)
        ended = sum(len(each.ended) for each in self.attacks)
        return (
            none_of(f"attacks of {len(self.attacks)} that were answered otherwise than documented", other),
            none_of("times that a process had more memory than its bound", over),
            none_of("processes that ended", ended),
            self.row("the victims' records that are wrong"),
        )

    def headline(self) -> tuple[Row, ...]:
        answered, *firm = self._firm_rows()
        return (
            answered,
            *(self._worst_acknowledged(victim) for victim in self.alone.acknowledged),
            self._worst_search(),
            self._worst_searchable(),
            *firm,
            *self._names(),
        )

    def tables(self) -> tuple[Table, ...]:
        times = ("acknowledged, near", "far", "search", "searchable, s")
        head = ("attack", "documented", "answered", *times, "refused", "memory, MiB")
        rows = tuple(
            (
                f"{each.name}: {each.does}",
                each.documented,
                _counted(each.answers) + ("" if each.as_documented else " (**not documented**)"),
                *(_number(ratio) for ratio in self.acknowledged_ratios(each).values()),
                _number(_ratio(each.felt.search, self.alone.search)),
                _number(_worst(each.felt.searchable)),
                f"{each.felt.refused}",
                _memory(each.growth),
            )
            for each in self.attacks
        )
        alone = tuple(
            (name, *_alone_cells(felt))
            for name, felt in (("before", self.first), ("after", self.last), ("together", self.alone))
        )
        bounds = tuple((name, bound, _largest(self.attacks, name)) for name, bound in self.bounds.items())
        return (
            Table("Beside each attack, 99th percentiles over those alone", head, rows),
            Table(
                "The victims alone, 99th percentiles in ms",
                ("", "exports", "searches", *(f"acknowledged, {name}" for name in self.alone.acknowledged), "search"),
                alone,
            ),
            Table("Attackers' messages that became dead letters", ("code", "messages"), _by_code(self.dead_letters)),
            Table("Memory", ("process", "bound", "largest peak, MiB"), bounds),
        )

    def pictures(self) -> tuple[Picture, ...]:
        names = [each.name for each in self.attacks]
        victims = {
            f"acknowledgement, victim on {victim}": [self.acknowledged_ratios(each)[victim] for each in self.attacks]
            for victim in self.alone.acknowledged
        }
        searches = {"search": [_ratio(each.felt.search, self.alone.search) for each in self.attacks]}
        seconds = {
            f"victim on {victim}": [each.felt.searchable[victim] for each in self.attacks]
            for victim in self.alone.searchable
        }
        measures = (
            Measure("99th percentile over that alone", {**victims, **searches}, self.goals.ratio),
            Measure("acknowledged to searchable, 99th percentile, s", seconds, self.goals.searchable_seconds),
        )
        shows = "Dots for each attack: what victims' answers took over those alone, and when records became searchable"
        drawn = partial(draw, title="Victims beside each attack", attacks=names, measures=measures)
        return (Picture("hostile.svg", shows, drawn),)

    def acknowledged_ratios(self, beside: Beside) -> dict[str, float | None]:
        """Returns for each victim its 99th percentile beside the attack, divided by that alone."""
        return {
            victim: _ratio(seconds, self.alone.acknowledged[victim])
            for victim, seconds in beside.felt.acknowledged.items()
        }

    def _worst_acknowledged(self, victim: str) -> Row:
        ratios = {each.name: self.acknowledged_ratios(each)[victim] for each in self.attacks}
        what = f"acknowledgement, 99th percentile, victim on {victim}: beside the worst attack over alone"
        return _worst_row(what, ratios, self.goals.ratio, "")

    def _worst_search(self) -> Row:
        ratios = {each.name: _ratio(each.felt.search, self.alone.search) for each in self.attacks}
        return _worst_row("search, 99th percentile: beside the worst attack over alone", ratios, self.goals.ratio, "")

    def _worst_searchable(self) -> Row:
        seconds = {each.name: _worst(each.felt.searchable) for each in self.attacks}
        what = "from acknowledged to searchable, 99th percentile beside the worst attack"
        return _worst_row(what, seconds, self.goals.searchable_seconds, " s")

    def _names(self) -> tuple[Row, ...]:
        goals = self.goals
        for each in self.attacks:
            if each.name == goals.names:
                grown, delay = each.growth["clickhouse"], _worst(each.felt.searchable)
                return (
                    Row(
                        f"{goals.names}: answered after",
                        f"{each.seconds:.1f} s",
                        f"at most {goals.names_answer_seconds:g} s",
                        each.seconds <= goals.names_answer_seconds,
                    ),
                    Row(
                        f"{goals.names}: ClickHouse grows by",
                        f"{grown / MIB:,.0f} MiB",
                        f"less than {goals.names_clickhouse_bytes / MIB:,.0f} MiB",
                        grown < goals.names_clickhouse_bytes,
                    ),
                    Row(
                        f"{goals.names}: from acknowledged to searchable, 99th percentile of the others",
                        f"{_number(delay)} s",
                        f"less than {goals.names_searchable_seconds:g} s",
                        delay is not None and delay < goals.names_searchable_seconds,
                    ),
                )
        return ()


def _worst_row(what: str, values: Mapping[str, float | None], goal: float, unit: str) -> Row:
    worst = max(values, key=lambda name: _sortable(values[name]))
    value = values[worst]
    return Row(
        f"{what} ({worst})",
        NEVER if value is None else f"{value:.2f}{unit}",
        f"at most {goal:g}{unit}",
        value is not None and value <= goal,
    )


def _worst(seconds: Mapping[str, float | None]) -> float | None:
    return max(seconds.values(), key=_sortable)


def _sortable(value: float | None) -> float:
    return float("inf") if value is None else value


def _ratio(beside: float | None, alone: float | None) -> float | None:
    return None if beside is None or alone is None else beside / alone


def _number(value: float | None) -> str:
    return NEVER if value is None else f"{value:.2f}"


def _counted(answers: Mapping[str, int]) -> str:
    return ", ".join(f"{answer}: {times:,}" for answer, times in sorted(answers.items()))


def _by_code(codes: Mapping[str, int]) -> tuple[tuple[str, ...], ...]:
    return tuple((code, f"{times:,}") for code, times in sorted(codes.items())) or (("none", "0"),)


def _memory(growth: Mapping[str, int]) -> str:
    return ", ".join(f"{name} +{grown / MIB:,.0f}" for name, grown in growth.items())


def _largest(attacks: tuple[Beside, ...], service: str) -> str:
    return f"{max(each.peak[service] for each in attacks) / MIB:,.0f}"


def _alone_cells(felt: Felt) -> tuple[str, ...]:
    times = (*felt.acknowledged.values(), felt.search)
    return (
        f"{felt.exports:,}",
        f"{felt.searches:,}",
        *(NEVER if each is None else f"{each * 1000:.1f}" for each in times),
    )
