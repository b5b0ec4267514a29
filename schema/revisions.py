"""Folders of a store's revisions, in the form that Alembic takes."""

from pathlib import Path
from typing import Literal, TextIO

from alembic.config import Config

_HERE = Path(__file__).parent


def revisions(store: Literal["control", "clickhouse"], output: TextIO | None = None) -> Config:
    """Returns Alembic's configuration for the revisions of a store. With `output`, their SQL is printed there, not
    run."""
    config = Config(output_buffer=output) if output is not None else Config()
    config.set_main_option("script_location", str(_HERE / store / "migrations"))
    config.set_main_option("path_separator", "os")
    return config
