"""The tables of the measurement: a lane of each index profile and the exporter's table, all with the same records."""

from collections.abc import Callable, Mapping
from typing import Final

from clickhouse_connect.driver.client import Client

from kit.clock import Clock
from kit.settings import Settings
from loadtest.corpus.load import load
from loadtest.corpus.rows import Corpus
from loadtest.log_store import LogStore
from loadtest.own_stack import Say
from loadtest.search.corpus import planted_batch
from loadtest.search.exporter_table import TABLE, copy_to_exporter_table, create_exporter_table
from schema.clickhouse.index_profiles import Profile
from schema.clickhouse.switch_profile import switch_profile
from schema.clickhouse.tables import table_name

LANES: Final[Mapping[Profile, int]] = {Profile.tokenbf: 0, Profile.text: 1}
_MERGE_SECONDS: Final = 3_600.0


def fill_tables(client: Client, settings: Settings, corpus: Corpus, clock: Clock, say: Say) -> None:
    """Until all three have the corpus, merged as far as it goes. What a run before has loaded is not loaded again."""
    first, second = (table_name(LANES[profile]) for profile in Profile)
    for profile, lane in LANES.items():
        switch_profile(client, table_name(lane), profile, clock, lambda _: None)
    load(client, first, corpus, say, planted_batch)
    create_exporter_table(client)
    _copy(client, second, corpus, say, lambda: client.command(f"INSERT INTO {second} SELECT * FROM {first}"))
    _copy(client, TABLE, corpus, say, lambda: copy_to_exporter_table(client, first))
    store = LogStore([client], settings, clock)
    for table in (first, second, TABLE):
        store.wait_for_merges(table, _MERGE_SECONDS)


def _copy(client: Client, table: str, corpus: Corpus, say: Say, insert: Callable[[], object]) -> None:
    if client.query(f"SELECT count() FROM {table}").result_rows[0][0] == corpus.rows:
        return
    say(f"copying the records to {table}")
    client.command(f"TRUNCATE TABLE {table}")
    insert()
