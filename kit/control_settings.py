"""Settings of the control plane's database."""

from typing import Final, Self
from urllib.parse import quote

from pydantic import Field, model_validator

from kit.stack_settings import StackSettings

CONTROL_DRIVERS: Final = ("postgresql+asyncpg://", "sqlite+aiosqlite://")
"""Beginnings of the URLs of control planes: SQLAlchemy's names of database and driver."""


class ControlSettings(StackSettings):
    """Settings of the database of tenants and keys, and how often it is read."""

    control_url: str | None = Field(
        None,
        min_length=1,
        description="SQLAlchemy URL of the control plane's database, `postgresql+asyncpg://…` or "
        "`sqlite+aiosqlite:///…`; unset: SQLite under `LOGSIEVE_HOME`.",
    )
    control_refresh_seconds: float = Field(
        2.0, gt=0, le=5, description="Seconds between two reads of tenants and keys by receivers and APIs."
    )

    @property
    def control_plane_url(self) -> str:
        """SQLAlchemy URL of the control plane's database."""
        # Quoted as SQLAlchemy's URL does it, but without its import, which many commands do not need.
        return self.control_url or f"sqlite+aiosqlite:///{quote(str(self.home.resolve() / 'control.db'), safe=' +/')}"

    @model_validator(mode="after")
    def _control_plane_has_a_known_driver(self) -> Self:
        # Checked here, without the import of SQLAlchemy, so that one of several workers does not end repeatedly.
        if self.control_url is not None and not self.control_url.startswith(CONTROL_DRIVERS):
            raise ValueError(
                "LOGSIEVE_CONTROL_URL begins with neither postgresql+asyncpg:// nor sqlite+aiosqlite://: write it as"
                " postgresql+asyncpg://user:password@host:5432/database, or sqlite+aiosqlite:////folder/control.db"
            )
        # Processes run in different folders, so each would create a database of its own.
        sqlite = "sqlite+aiosqlite:///"
        if self.control_url is not None and self.control_url.startswith(sqlite):
            path = self.control_url.removeprefix(sqlite)
            if not path.startswith("/"):
                raise ValueError(
                    f"LOGSIEVE_CONTROL_URL has the relative path {path!r}: write an absolute one, with four slashes, as"
                    " in sqlite+aiosqlite:////folder/control.db"
                )
        return self
