"""Reads and writes results of studies as files. A file has the report and the origin of its numbers."""

from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, ValidationError

from kit.errors import Conflict, InvalidRequest
from loadtest.report.report import Report
from loadtest.studies import STUDIES
from loadtest.study import Study

FOLDER: Final = "results"
"""Name of the folder of results, within the folder of the pages."""
_SHOWN: Final = 5
"""Largest number of missing parts that an error names."""


class Origin(BaseModel):
    """Origin of a result, so that it can be measured again: the command, day (UTC), commit and machine."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    command: str
    day: date
    commit: str | None
    machine: str


@dataclass(frozen=True, slots=True)
class Result:
    study: Study
    origin: Origin
    report: Report

    @property
    def file_name(self) -> str:
        """Name of the result's file. Each variant of a study has one."""
        return "-".join(part for part in (self.study.name, self.report.variant) if part) + ".json"


class _Stored(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    study: str
    origin: Origin
    findings: dict[str, object]

    @property
    def is_smoke(self) -> bool:
        return bool(self.findings.get("smoke"))


def study_named(name: str) -> Study:
    """Returns the study with this name. Raises InvalidRequest if there is none."""
    if name not in STUDIES:
        raise InvalidRequest(f"{name!r} is no study; the studies are {', '.join(STUDIES)}")
    return STUDIES[name]


def result_of(name: str, line: str, origin: Origin) -> Result:
    """Returns the result in a line of JSON that the command of study `name` printed.

    Raises InvalidRequest if the study is unknown, or the line is not one of it.
    """
    study = study_named(name)
    try:
        return Result(study, origin, study.report.model_validate_json(line))
    except ValidationError as error:
        raise InvalidRequest(f"no line of `logsieve loadtest {name} --json`: {error}") from error


def keep(result: Result, folder: Path) -> None:
    """Writes a result's file below the folder of the pages. Replaces the file of the same study and variant.

    Raises Conflict if that would replace the result of a larger run by that of a smaller one.
    """
    file = folder / FOLDER / result.file_name
    if file.exists():
        _check_size(result.report, file)
    file.parent.mkdir(exist_ok=True)
    stored = _Stored(study=result.study.name, origin=result.origin, findings=result.report.model_dump(mode="json"))
    file.write_text(stored.model_dump_json(indent=1) + "\n")


def _check_size(report: Report, file: Path) -> None:
    """Raises Conflict if the result in `file` is that of a larger run. One whose format is outdated may be replaced."""
    before = _Stored.model_validate_json(file.read_bytes())
    if before.is_smoke:
        return
    if report.smoke:
        raise Conflict(f"{file} has the result of a full run: give --write another folder for that of a small run")
    try:
        had = type(report).model_validate(before.findings).extent()
    except ValidationError:
        return
    has = report.extent()
    smaller = [
        f"{name}: {has.get(name, 0):g} instead of {amount:g}"
        for name, amount in had.items()
        if has.get(name, 0) < amount
    ]
    if smaller:
        further = f"; and {len(smaller) - _SHOWN} more" if len(smaller) > _SHOWN else ""
        raise Conflict(
            f"{file} has the result of a larger run, of which this one has less"
            f" ({'; '.join(smaller[:_SHOWN])}{further}): choose another folder, or delete the file to replace it"
        )


def kept(folder: Path) -> list[Result]:
    """Returns all results below the folder of the pages, in the order of STUDIES.

    Raises InvalidRequest if a file there is not a result.
    """
    found = []
    for file in sorted((folder / FOLDER).glob("*.json")):
        try:
            stored = _Stored.model_validate_json(file.read_text())
            study = study_named(stored.study)
            found.append(Result(study, stored.origin, study.report.model_validate(stored.findings)))
        except ValidationError as error:
            raise InvalidRequest(f"{file} is no result of a study: {error}") from error
    order = list(STUDIES)
    return sorted(found, key=lambda result: order.index(result.study.name))
