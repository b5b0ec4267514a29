"""Configures Alembic for a store's migrations, and runs them."""

from collections.abc import Collection
from pathlib import Path
from typing import Final, Literal, TextIO

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from alembic.script.revision import ResolutionError
from alembic.util import CommandError

from kit.errors import Conflict

_HERE = Path(__file__).parent

_NEWER_REMEDY: Final = "run that release, or restore the backup from before it"
"""Advice about a store that a newer release has migrated."""


def revisions(store: Literal["control", "clickhouse"], output: TextIO | None = None) -> Config:
    """Returns Alembic's configuration for a store's revisions. With `output`, their SQL is printed there instead of
    run."""
    config = Config(output_buffer=output) if output is not None else Config()
    config.set_main_option("script_location", str(_HERE / store / "migrations"))
    config.set_main_option("path_separator", "os")
    return config


def upgrade_to(config: Config, revision: str, subject: str) -> None:
    """Runs the revisions of the configuration up to this one that were not run yet; up to the last one for `head`.
    `subject` names the store in errors.

    Raises Conflict if the last revision that was run is unknown, because it belongs to a newer release.
    """
    try:
        command.upgrade(config, revision)
    except CommandError as error:
        unknown = error.__cause__
        if not isinstance(unknown, ResolutionError):
            raise
        raise Conflict(
            f"{subject} migrated by a newer release (revision {unknown.argument}), and this release cannot use its"
            f" tables: {_NEWER_REMEDY}"
        ) from error


def revision_difference(store: Literal["control", "clickhouse"], stored: Collection[str]) -> str | None:
    """Returns a sentence if the newest revision that a database has stored is not this release's last one, otherwise
    None."""
    last, *earlier = (script.revision for script in ScriptDirectory.from_config(revisions(store)).walk_revisions())
    if unknown := sorted(set(stored).difference([last, *earlier])):
        return f"a newer release has migrated it (revision {unknown[-1]}): {_NEWER_REMEDY}"
    if last in stored:
        return None
    return f"its revision is {max(stored, default='none')}, and this release's is {last}: run `logsieve migrate`"
