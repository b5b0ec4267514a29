"""Folders of a store's revisions, in the form that Alembic takes."""

from pathlib import Path
from typing import Literal, TextIO

from alembic.config import Config

_HERE = Path(__file__).parent


def revisions(store: Literal["control", "clickhouse"], output: TextIO | None = None) -> Config:
    """The store's revisions; `output` takes their SQL where they are printed rather than run."""
    config = Config(output_buffer=output) if output is not None else Config()
    config.set_main_option("script_location", str(_HERE / store / "migrations"))
    config.set_main_option("path_separator", "os")
    return config
