"""Lists the tables of a stack that searches can read."""

from kit.settings import Settings
from schema.clickhouse.query_user import readable_tables


def searched_tables(settings: Settings) -> tuple[str, ...]:
    """Returns the tables that searches may read and that exist: those of the lanes that `migrate` creates."""
    return readable_tables(settings.model_copy(update={"max_lanes": settings.lanes}))
