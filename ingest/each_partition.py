"""Changes many table partitions of a server, also if ClickHouse refuses to change one of them."""

from collections.abc import Callable, Iterable
from typing import TypeVar

from clickhouse_connect.driver.exceptions import Error

from kit.clickhouse import translate

_P = TypeVar("_P")


def each_partition(partitions: Iterable[_P], change: Callable[[_P], None]) -> None:
    """Calls `change` with each partition. If ClickHouse refuses one, the others are changed. Stops at a server that
    does not answer, because the next statement would only wait again.

    Raises the first error in the end, as kit.clickhouse.translate returns it.
    """
    failures: list[Error] = []
    for partition in partitions:
        try:
            change(partition)
        except Error as error:
            failures.append(error)
            if error.code is None:
                break
    if failures:
        raise translate(failures[0]) from failures[0]
