"""Tests that table functions which read a whole cluster show the query user no rows of any shard."""

import pytest

from kit.clickhouse import Account
from tests.api.test_query_password import send
from tests.running_stack import Stack


@pytest.mark.parametrize("function", ["cluster", "clusterAllReplicas"])
def test_functions_about_a_cluster_show_nothing(two: Stack, function: str) -> None:
    for source in ("system.one", f"'{two.settings.clickhouse_database}', 'usage'"):
        call = f"SELECT count() FROM {function}('{two.settings.clickhouse_cluster}', {source})"
        assert send(two.settings, call, Account.owner).status_code == 200
        answer = send(two.settings, call)
        assert (answer.status_code, answer.text) == (200, "0\n") or "(ACCESS_DENIED)" in answer.text, call
