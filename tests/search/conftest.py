from collections.abc import Iterator

import pytest

from tests.search.engine import ClickHouse, library, running
from tests.search.records import fill_table


@pytest.fixture(scope="package")
def clickhouse(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ClickHouse]:
    found = library()
    if found is None:
        pytest.skip("no engine: run make up, or set LOGSIEVE_TEST_LIBCHDB")
    with running(found, tmp_path_factory.mktemp("engine") / "data") as engine:
        yield engine


@pytest.fixture(scope="module")
def tricky(clickhouse: ClickHouse) -> ClickHouse:
    """Returns the engine, whose table TABLE has the records TRICKY."""
    fill_table(clickhouse)
    return clickhouse
