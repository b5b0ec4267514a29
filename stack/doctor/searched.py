"""Checks that searches read each replica. They do not read one that may lack logs, such as one whose filling was
interrupted."""

from clickhouse_connect.driver.client import Client

from kit.topology import Place
from schema.clickhouse.complete import fill_command, is_complete
from stack.doctor.finding import Finding, Level


def searched_finding(client: Client, place: Place, shards: int) -> Finding:
    """Checks that the server has the mark without which searches do not read a replica. Only for several replicas.

    `shards` is the number of all shards.
    """
    if is_complete(client):
        return Finding("searched", Level.ok, "searches may read it")
    number = place.replica
    return Finding(
        "searched",
        Level.warn,
        f"searches do not read replica {number} of shard {place.shard}, which may lack logs",
        "if the server is new, run `logsieve migrate`; if that does not help, and no `logsieve replica fill` runs, run"
        f" `{fill_command(number, 'REPLICA', place.shard, shards)}` as docs/operations/several-servers.md says, or"
        f" `logsieve replica admit {number}` if it has all logs",
    )
