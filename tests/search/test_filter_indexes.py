"""Tests that indexes of both profiles let the compiled SQL skip granules, with parameters the server fills in."""

import pytest

from schema.clickhouse.index_profiles import Profile
from schema.clickhouse.tables import TABLE_SETTINGS, create_table
from tests.search.engine import ClickHouse
from tests.search.explained import granules_read

GRANULES = 16
"""Number of granules. Each has words, values and a trace id that no other granule has."""

ROWS = TABLE_SETTINGS["index_granularity"]
"""Number of rows of a granule. The records are so short that the limit in bytes does not apply."""

ONE_GRANULE = (
    "word7",
    "WORD7 shared",
    '"word7 then shared"',
    "*x word7 y*",
    "word7 OR word9 word7",
    "attributes.key:value7",
    "key:value7",
    "host:host7",
    "only7:*",
    "trace_id:00000000000000000000000000000007",
    "shared trace_id:00000000000000000000000000000007",
    "service:service7",
    "-shared word7",
    r"/ord\d+ then/ word7",
    "/^Word7 then/",
    r"/^Word7\s(then|now)/",
)
PARTS_OF_WORDS = ("*ord7z*", "*ord7z -word9", "*ord7z*-*then", r"*ord7z\ then*", "/ord7z/", "/rd7z.the/")
"""Queries for parts of words, which only the text index can locate."""
TWO_GRANULES = ("word7 OR word9", "word7 OR key:value9", "key:(value7 OR value9)", "severity_number:[7 TO 8]")


@pytest.fixture(scope="module", params=list(Profile))
def profile(request: pytest.FixtureRequest) -> Profile:
    found: Profile = request.param
    return found


@pytest.fixture(scope="module")
def indexed(clickhouse: ClickHouse, profile: Profile) -> ClickHouse:
    clickhouse.command("DROP TABLE IF EXISTS default.indexed")
    clickhouse.command(create_table("default", "indexed", profile))
    clickhouse.command(
        f"""
        INSERT INTO indexed
            (tenant_id, cohort, id, severity_number, service, body, attributes, resource, trace_id)
        SELECT 1, 'r30', number, g, 'service' || g, 'Word' || g || ' then shared sword' || g || 'z then '
            || if(number = {5 * ROWS}, 'left right', ['left', 'right'][1 + number % 2]),
            map('key', 'value' || g, 'only' || g, ''), map('host', 'host' || g), unhex(leftPad(g, 32, '0'))
        FROM (SELECT number, toString(intDiv(number, {ROWS})) AS g FROM numbers({GRANULES * ROWS}))
        """
    )
    return clickhouse


@pytest.mark.parametrize("query", ONE_GRANULE)
def test_one_granule_is_read(indexed: ClickHouse, query: str) -> None:
    assert granules_read(indexed, "indexed", query) == 1


@pytest.mark.parametrize("query", TWO_GRANULES)
def test_alternatives_read_their_granules(indexed: ClickHouse, query: str) -> None:
    assert granules_read(indexed, "indexed", query) == 2


@pytest.mark.parametrize("query", PARTS_OF_WORDS)
def test_parts_of_words_are_looked_up_in_a_text_index(indexed: ClickHouse, profile: Profile, query: str) -> None:
    assert granules_read(indexed, "indexed", query) == (1 if profile is Profile.text else GRANULES)


@pytest.mark.parametrize("query", ["left right", '"left right"', "right *then left r*", "right /then left /"])
def test_words_that_only_one_row_has_together_are_found_by_a_text_index(
    indexed: ClickHouse, profile: Profile, query: str
) -> None:
    assert granules_read(indexed, "indexed", query) == (1 if profile is Profile.text else GRANULES)


def test_a_frequent_word_reads_everything(indexed: ClickHouse) -> None:
    assert granules_read(indexed, "indexed", "shared") == GRANULES


@pytest.mark.parametrize("query", ["word77", "key:value77", "nothing:*", "trace_id:" + "7" * 32])
def test_an_absent_value_reads_nothing(indexed: ClickHouse, query: str) -> None:
    assert granules_read(indexed, "indexed", query) == 0
