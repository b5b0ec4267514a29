"""SQL of the triggers that count changes of the control plane, for migrations.

A change of a tracked table adds one to `control_revision.number` in its own transaction. It writes the new number
into the row of its tenant, or into `control_revision.installation` where it concerns all tenants. Triggers see the
statements of every client (docs/decisions/0025-the-control-plane-counts-its-changes.md).
"""

from typing import Final, Literal

Event = Literal["INSERT", "UPDATE", "DELETE"]
EVENTS: Final[tuple[Event, ...]] = ("INSERT", "UPDATE", "DELETE")

CREATE_FUNCTION: Final = """\
CREATE FUNCTION logsieve_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  owner integer;
  changed bigint;
BEGIN
  IF TG_OP = 'DELETE' THEN
    owner = CAST(to_jsonb(OLD) ->> TG_ARGV[0] AS integer);
  ELSE
    owner = CAST(to_jsonb(NEW) ->> TG_ARGV[0] AS integer);
  END IF;
  UPDATE control_revision
    SET number = number + 1, installation = CASE WHEN owner IS NULL THEN number + 1 ELSE installation END
    RETURNING number INTO changed;
  UPDATE tenant SET revision = changed WHERE id = owner;
  RETURN NULL;
END $$"""
"""The function of all triggers on PostgreSQL. Its argument is the column with the tenant's id."""


def trigger_name(table: str, event: Event) -> str:
    return f"revision_{table}_{event.lower()}"


def create_trigger(dialect: str, table: str, event: Event, owner: str) -> str:
    """Returns the statement for one table. `owner` is the column with the tenant's id, NULL for the whole
    installation."""
    name = trigger_name(table, event)
    # The triggers themselves change tenant.revision, which must not be counted.
    guarded = " WHEN (OLD.revision = NEW.revision)" if (table, event) == ("tenant", "UPDATE") else ""
    if dialect == "postgresql":
        return (
            f"CREATE TRIGGER {name} AFTER {event} ON {table} FOR EACH ROW{guarded}"
            f" EXECUTE FUNCTION logsieve_changed('{owner}')"
        )
    row = "OLD" if event == "DELETE" else "NEW"
    return (
        f"CREATE TRIGGER {name} AFTER {event} ON {table} FOR EACH ROW{guarded} BEGIN"
        " UPDATE control_revision SET number = number + 1,"
        f" installation = CASE WHEN {row}.{owner} IS NULL THEN number + 1 ELSE installation END;"
        f" UPDATE tenant SET revision = (SELECT number FROM control_revision) WHERE id = {row}.{owner};"
        " END"
    )
