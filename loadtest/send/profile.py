"""Reads sending profiles, which have rates over time and thresholds, from TOML."""

import tomllib
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from kit.errors import InvalidRequest

_FOLDER: Final = Path(__file__).with_name("profiles")
SHIPPED: Final = ("smoke", "steady", "burst")


class Stage(BaseModel):
    """A stage of a run: `rate` records per second for `seconds`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    seconds: float = Field(gt=0)
    rate: float = Field(gt=0)


class Thresholds(BaseModel):
    """Limits that a run must keep.

    `p99_seconds` limits the time from when a request was due to its answer, so that it includes delays of the sender.
    `refused_share` is the largest share (0 to 1) of records without acknowledgement.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    p99_seconds: float = Field(gt=0)
    behind_seconds: float = Field(gt=0, description="How late the sender itself may be; beyond, the run says nothing.")
    refused_share: float = Field(ge=0, le=1)


class Profile(BaseModel):
    """A run: number of sender processes and of tenants, bytes per record (`size`), stages and thresholds."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    about: str
    processes: int = Field(ge=1, le=64)
    tenants: int = Field(ge=1, le=1000)
    size: int
    stages: tuple[Stage, ...] = Field(min_length=1)
    thresholds: Thresholds

    @property
    def seconds(self) -> float:
        return sum(stage.seconds for stage in self.stages)


def read_profile(name: str) -> Profile:
    """Reads a shipped profile by its name, or a TOML file by its path.

    Raises InvalidRequest if there is no such profile or file, or if the file is not a valid profile.
    """
    file = _FOLDER / f"{name}.toml" if name in SHIPPED else Path(name)
    if not file.is_file():
        raise InvalidRequest(f"{name!r} is neither one of {', '.join(SHIPPED)} nor a file")
    try:
        return Profile.model_validate(tomllib.loads(file.read_text()))
    except tomllib.TOMLDecodeError as error:
        raise InvalidRequest(f"{file} is not TOML: {error}") from None
    except ValidationError as error:
        raise InvalidRequest(
            f"{file} is not a profile: {error.errors()[0]['loc']}: {error.errors()[0]['msg']}"
        ) from None
