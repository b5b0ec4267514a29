"""Tests that table functions which read a whole cluster show the query user no rows of any shard."""

import pytest

from kit.clickhouse import Account
from tests import otlp
from tests.eventually import eventually
from tests.query_user import send_statement
from tests.running_stack import Stack
from tests.tenants import new_tenant


@pytest.fixture(scope="module")
def usage(two: Stack) -> str:
    """Returns the arguments of a table function for the table `usage`, which has rows."""
    keys = new_tenant(two, "seen")
    table = f"'{two.settings.clickhouse_database}', 'usage'"
    # The record can be on either shard.
    count = f"SELECT count() FROM cluster('{two.settings.clickhouse_cluster}', {table}) WHERE tenant_id = {keys.id}"
    assert otlp.send(two.otlp_http_url, keys.ingest, otlp.request(otlp.record("seen"))).status_code == 200
    eventually(lambda: int(send_statement(two.settings, count, Account.owner).text) > 0, "the usage is stored")
    return table


@pytest.mark.parametrize("function", ["cluster", "clusterAllReplicas"])
def test_functions_about_a_cluster_show_nothing(two: Stack, usage: str, function: str) -> None:
    for source in ("system.one", usage):
        call = f"SELECT count() FROM {function}('{two.settings.clickhouse_cluster}', {source})"
        assert int(send_statement(two.settings, call, Account.owner).text) > 0
        answer = send_statement(two.settings, call)
        assert (answer.status_code, answer.text) == (200, "0\n") or "(ACCESS_DENIED)" in answer.text, call
