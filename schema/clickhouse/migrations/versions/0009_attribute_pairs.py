"""index services, and attribute values with their names, by rows (docs/decisions/0049)"""

from alembic import op

from schema.clickhouse.lanes import lane_tables

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

PAIRS = (
    "arrayFilter(pair -> length(pair) <= 256, arrayMap((name, value) -> concat(name, '\\0', value),"
    " mapKeys(mapUpdate(resource, attributes)), mapValues(mapUpdate(resource, attributes))))"
)
ADDED = (
    ("attribute_pairs", PAIRS, "attribute_keys"),
    ("service_names", "service", "traces"),
)
DROPPED = ("attribute_values", "resource_values", "services")


def upgrade() -> None:
    for table in lane_tables(op):
        for name, expression, after in ADDED:
            op.execute(
                f"ALTER TABLE {table} ADD INDEX IF NOT EXISTS `{name}` {expression} TYPE text(tokenizer = 'array')"
                f" AFTER `{after}`"
            )
        # ClickHouse waits until it has replaced every part of the table, so that three statements take three times as
        # long.
        dropped = ", ".join(f"DROP INDEX IF EXISTS `{name}`" for name in DROPPED)
        op.execute(f"ALTER TABLE {table} {dropped}")
        # ClickHouse builds the indexes of the parts that exist in the background. Searches are right meanwhile.
        built = ", ".join(f"MATERIALIZE INDEX `{name}`" for name, _, _ in ADDED)
        op.execute(f"ALTER TABLE {table} {built} SETTINGS mutations_sync = 0")
