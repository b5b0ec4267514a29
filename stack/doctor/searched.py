"""Checks that searches read each replica. They do not read one that may lack logs, such as one whose filling was
interrupted."""

from clickhouse_connect.driver.client import Client

from kit.topology import Place
from schema.clickhouse.complete import is_complete
from stack.doctor.finding import Finding, Level


def searched_finding(client: Client, place: Place) -> Finding:
    """Checks that the server has the mark without which searches do not read a replica. Only for several replicas."""
    if is_complete(client):
        return Finding("searched", Level.ok, "searches may read it")
    number = place.replica
    return Finding(
        "searched",
        Level.warn,
        f"searches do not read replica {number} of shard {place.shard}, which may lack logs",
        f"run `logsieve replica fill {number} --from REPLICA` as docs/operations/several-servers.md says, or `logsieve"
        f" replica admit {number}` if it has all logs",
    )
