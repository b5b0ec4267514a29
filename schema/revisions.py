"""Configures Alembic for a store's migrations."""

from pathlib import Path
from typing import Literal, TextIO

from alembic.config import Config

_HERE = Path(__file__).parent


def revisions(store: Literal["control", "clickhouse"], output: TextIO | None = None) -> Config:
    """Returns Alembic's configuration for a store's revisions. With `output`, their SQL is printed there instead of
    run."""
    config = Config(output_buffer=output) if output is not None else Config()
    config.set_main_option("script_location", str(_HERE / store / "migrations"))
    config.set_main_option("path_separator", "os")
    return config
