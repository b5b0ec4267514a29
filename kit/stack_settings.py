"""Settings that keep the stacks on one machine apart: their folders and ports."""

from pathlib import Path
from typing import Annotated, Final

from pydantic import Field, ValidationInfo, field_validator
from pydantic_settings import BaseSettings

from kit import folders
from kit.errors import InvalidRequest

HIGHEST_PORT: Final = 65535

Port = Annotated[int, Field(ge=1, le=HIGHEST_PORT)]
"""Number of a TCP port."""


class StackSettings(BaseSettings):
    """Settings that keep several stacks on one machine apart."""

    home: Path = Field(
        folders.HOME,
        description="Folder of all state: data, logs, process ids, keys.json. Outside a checkout: `logsieve` in "
        "XDG_DATA_HOME (~/.local/share).",
    )
    port_offset: int = Field(
        0, ge=0, le=50000, description="Number added to every port, so that two stacks can run on one machine."
    )

    @field_validator("*", mode="before")
    @classmethod
    def _paths_are_not_empty(cls, value: object, info: ValidationInfo) -> object:
        """Refuses an empty path, which would name the working folder."""
        name = info.field_name or ""
        if value == "" and cls.model_fields[name].annotation in (Path, Path | None):
            raise ValueError(f"LOGSIEVE_{name.upper()} is empty: give a path, or unset it")
        return value

    def port(self, base: int) -> int:
        """Returns the port a service actually uses: its base port plus `port_offset`. Raises InvalidRequest if there is
        no such port."""
        port = base + self.port_offset
        if port > HIGHEST_PORT:
            raise InvalidRequest(
                f"port {base} plus LOGSIEVE_PORT_OFFSET={self.port_offset} is {port}, and the highest port is"
                f" {HIGHEST_PORT}: set a smaller offset, or another port"
            )
        return port

    def worker_port(self, service: str, first: int, worker: int) -> int:
        """Returns the port of a worker's operations routes. `service` is `api` or `receiver`, `first` the base port of
        its first worker, and `worker` the worker's number, from 0. Raises InvalidRequest if there is no such port."""
        port = self.port(first) + worker
        if port > HIGHEST_PORT:
            name = f"LOGSIEVE_{service.upper()}"
            raise InvalidRequest(
                f"worker {worker} would have port {port} ({name}_OPS_PORT={first}, plus"
                f" LOGSIEVE_PORT_OFFSET={self.port_offset} and the worker's number), and the highest port is"
                f" {HIGHEST_PORT}: set a smaller {name}_OPS_PORT, a smaller offset, or fewer {name}_WORKERS"
            )
        return port
