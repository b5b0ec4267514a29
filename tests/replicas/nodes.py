"""Nodes of the stack of replicas, and whether the API counts them as answering."""

from typing import Final

from kit.metrics import CLICKHOUSE_ANSWERS
from tests.api_client import Api
from tests.running_stack import Stack

NODES: Final = {
    "clickhouse": (0, 0),
    "clickhouse-1": (1, 0),
    "clickhouse-0-replica-1": (0, 1),
    "clickhouse-1-replica-1": (1, 1),
}
"""Shard and replica of each node, by the name of its service."""


def answers(stack: Stack, node: str) -> bool:
    """Returns whether the API counts the node as answering."""
    shard, replica = NODES[node]
    with Api(stack.api_url.removesuffix("/api/v1"), None) as api:
        shown = api.get("/metrics").text
    name = CLICKHOUSE_ANSWERS.prometheus_name
    values = {
        line.rsplit(" ", 1)[1]
        for line in shown.splitlines()
        if line.startswith(name) and f'shard="{shard}"' in line and f'replica="{replica}"' in line
    }
    return {float(value) for value in values} == {1.0}


def is_unreachable(stack: Stack, node: str) -> bool:
    """Returns whether the API counts the node as unreachable."""
    return not answers(stack, node)
