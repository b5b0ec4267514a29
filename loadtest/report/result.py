"""A result as a file: where its numbers come from, and what was found."""

from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, ValidationError

from kit.errors import InvalidRequest
from loadtest.report.report import Report
from loadtest.studies import STUDIES
from loadtest.study import Study

FOLDER: Final = "results"
"""Folder of the results, beside the pages."""


class Origin(BaseModel):
    """Facts that must be known to measure again: the command, the day (UTC), the code's commit, the machine."""

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
        """Name of the result's file: one for each study and variant."""
        return "-".join(part for part in (self.study.name, self.report.variant) if part) + ".json"


class _Stored(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    study: str
    origin: Origin
    findings: dict[str, object]


class _Line(BaseModel):
    """The part of a command's line of JSON that is no part of the report."""

    machine: str | None = None


def study_named(name: str) -> Study:
    """Raises InvalidRequest for a name that no study has."""
    if name not in STUDIES:
        raise InvalidRequest(f"{name!r} is no study; the studies are {', '.join(STUDIES)}")
    return STUDIES[name]


def machine_in(line: str) -> str | None:
    """Returns the machine that a command's line of JSON names."""
    return _Line.model_validate_json(line).machine


def result_of(name: str, line: str, origin: Origin) -> Result:
    """Makes the result of the line of JSON that a study's command printed.

    Raises InvalidRequest when the line is not of that study.
    """
    study = study_named(name)
    try:
        return Result(study, origin, study.report.model_validate_json(line))
    except ValidationError as error:
        raise InvalidRequest(f"no line of `logsieve loadtest {name} --json`: {error}") from error


def keep(result: Result, folder: Path) -> None:
    """Writes the result's file into the folder of the pages; one of the same study and variant is replaced."""
    file = folder / FOLDER / result.file_name
    file.parent.mkdir(exist_ok=True)
    stored = _Stored(study=result.study.name, origin=result.origin, findings=result.report.model_dump(mode="json"))
    file.write_text(stored.model_dump_json(indent=1) + "\n")


def kept(folder: Path) -> list[Result]:
    """Reads all results in the folder of the pages, in the order of STUDIES.

    Raises InvalidRequest for a file that is no result.
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
