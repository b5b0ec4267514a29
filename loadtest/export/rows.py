"""Many rows of one tenant, made by ClickHouse itself: what is measured is how they are read."""

from clickhouse_connect.driver.client import Client

from loadtest.own_stack import Sender
from schema.clickhouse.tables import table_name


def insert_rows(client: Client, sender: Sender, cohort: str, count: int, start_ns: int) -> int:
    """`count` records of about 800 bytes, ten a millisecond from `start_ns` on.

    Returns the first moment after them.
    """
    client.command(
        f"INSERT INTO {table_name(sender.lane)}"
        " (tenant_id, cohort, timestamp, id, severity_number, severity_text, service, body, attributes)"
        " SELECT {tenant:UInt32}, {cohort:String},"
        " fromUnixTimestamp64Nano({start:Int64} + intDiv(number, 10) * 1000000, 'UTC'),"
        " toUInt128(number + 1), 9, 'INFO',"
        " concat('service-', toString(number % 8)),"
        " concat('request ', toString(number), ' took ', toString(sipHash64(number) % 5000), ' ms ',"
        " repeat(hex(sipHash128(number)), 20)),"
        " map('number', toString(number), 'http.route', '/checkout', 'user.id', toString(sipHash64(number) % 10000))"
        " FROM numbers({count:UInt64})",
        parameters={"tenant": sender.tenant_id, "cohort": cohort, "start": start_ns, "count": count},
        settings={"max_partitions_per_insert_block": 1000},
    )
    return start_ns + (count // 10 + 1) * 10**6
