"""The storage policy of the log tables: the volumes on which ClickHouse keeps their parts.

A table can change to a policy that has all volumes and disks of its present one. It cannot change back.
"""

from typing import Final

from clickhouse_connect.driver.client import Client
from clickhouse_connect.driver.exceptions import Error

from kit.clickhouse import translate
from kit.errors import Conflict

_POLICY: Final = "SELECT storage_policy FROM system.tables WHERE database = currentDatabase() AND name = {table:String}"
_BAD_ARGUMENTS: Final = 36
_UNKNOWN_POLICY: Final = 478


def use_policy(client: Client, table: str, policy: str) -> None:
    """Gives the table this storage policy, if it has another one. Moves no part.

    Raises Conflict if the server has no such policy, or if the policy lacks a disk of the table's present one.
    """
    if str(client.command(_POLICY, parameters={"table": table})) == policy:
        return
    try:
        client.command(set_policy(table, policy))
    except Error as error:
        if error.code == _UNKNOWN_POLICY:
            raise Conflict(
                f"ClickHouse at {client.uri} has no storage policy {policy}: add it to the server's configuration, or"
                " change LOGSIEVE_STORAGE_POLICY"
            ) from error
        if error.code == _BAD_ARGUMENTS:
            raise Conflict(
                f"{table} cannot change to the storage policy {policy}, which must have a volume `default` with the"
                f" disk `default`, or all volumes of the table's present policy: {str(error).splitlines()[0]}"
            ) from error
        raise translate(error) from error


def set_policy(table: str, policy: str) -> str:
    """Returns the statement that gives a table a storage policy."""
    return f"ALTER TABLE {table} MODIFY SETTING storage_policy = '{policy}'"
