"""A result as a file: where its numbers come from, and what was found."""

from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, ValidationError

from kit.errors import InvalidRequest
from loadtest.report.findings import Findings
from loadtest.report.studies import STUDIES, Study

FOLDER: Final = "results"
"""Beside the pages."""


class Origin(BaseModel):
    """What must be known to measure again: the command, the day (UTC), the code's commit, the machine."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    command: str
    day: date
    commit: str | None
    machine: str


@dataclass(frozen=True, slots=True)
class Result:
    study: Study
    origin: Origin
    findings: Findings


class _Stored(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    study: str
    origin: Origin
    findings: dict[str, object]


class _Told(BaseModel):
    """What a line says of the machine; the policy's and the corpus's studies need no stack and say nothing of one."""

    machine: str | None = None


def study_named(name: str) -> Study:
    """Raises InvalidRequest for a study that there is not."""
    if name not in STUDIES:
        raise InvalidRequest(f"{name!r} is none of the studies {', '.join(STUDIES)}")
    return STUDIES[name]


def machine_in(line: str) -> str | None:
    """The machine that a command's line of JSON names."""
    return _Told.model_validate_json(line).machine


def result_of(name: str, line: str, origin: Origin) -> Result:
    """Of the line of JSON that the study's command printed. Raises InvalidRequest when it is none of that study."""
    study = study_named(name)
    try:
        return Result(study, origin, study.findings.model_validate_json(line))
    except ValidationError as error:
        raise InvalidRequest(f"no line of `logsieve loadtest {name} --json`: {error}") from error


def file_name(result: Result) -> str:
    """One for each study and variant."""
    return "-".join(part for part in (result.study.name, result.findings.variant) if part) + ".json"


def keep(result: Result, folder: Path) -> None:
    """Writes the result's file into the folder of the pages; one of the same study and variant is replaced."""
    file = folder / FOLDER / file_name(result)
    file.parent.mkdir(exist_ok=True)
    stored = _Stored(study=result.study.name, origin=result.origin, findings=result.findings.model_dump(mode="json"))
    file.write_text(stored.model_dump_json(indent=1) + "\n")


def kept(folder: Path) -> list[Result]:
    """All results in the folder of the pages, by study in the order of STUDIES.

    Raises InvalidRequest for a file that is no result.
    """
    found = []
    for file in sorted((folder / FOLDER).glob("*.json")):
        try:
            stored = _Stored.model_validate_json(file.read_text())
            study = study_named(stored.study)
            found.append(Result(study, stored.origin, study.findings.model_validate(stored.findings)))
        except ValidationError as error:
            raise InvalidRequest(f"{file} is no result of a study: {error}") from error
    order = list(STUDIES)
    return sorted(found, key=lambda result: order.index(result.study.name))
