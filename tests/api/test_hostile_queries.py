"""Tests that every query text gets an answer or an error with a position, and never an internal error."""

import random
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Final
from urllib.parse import quote

import pytest

from backend.language.limits import MAX_DEPTH
from tests.api.hostile_texts import hostile_texts
from tests.api_client import Api
from tests.chance import SEED, repetitions
from tests.running_stack import Stack
from tests.tenants import TenantKeys, new_tenant

COUNT: Final = repetitions(5_000)
CLIENTS: Final = 4
STATS: Final = (
    "| stats count()",
    "| stats p95(x), uniq(user.id), avg(flags) by service, trace_id | sort p95(x) asc | limit 1",
    "| stats count_if({}), rate() by {}",
    "| stats {} by {} | sort {}",
    '| stats sum("{}") by "{}", "q"\\" | limit {}',
)
"""Numbers to compute, with places for a hostile text."""


@pytest.fixture(scope="module")
def keys(stack: Stack) -> TenantKeys:
    return new_tenant(stack, "hostile")


def test_any_text_with_stats_is_answered_or_refused_with_a_position(stack: Stack, keys: TenantKeys) -> None:
    statuses = Counter[int]()
    rng = random.Random(SEED)
    with Api(stack.api_url, keys.query) as api:
        for number, text in enumerate(hostile_texts(SEED, COUNT // 2)):
            stage = rng.choice(STATS).replace("{}", text)
            answer = api.post("/logs/stats", {"query": f"{text} {stage}" if number % 2 else stage})
            statuses[answer.status_code] += 1
            assert answer.status_code in (200, 400), (ascii(stage[:300]), answer.text)
            if answer.status_code == 400:
                problem = answer.json()
                assert problem["code"] == "invalid_query", (ascii(stage[:300]), problem)
                assert problem["expected"], (ascii(stage[:300]), problem)
    assert statuses[200] > COUNT // 40, "some of them mean something"
    assert statuses[400] > COUNT // 40, "some of them mean nothing"


def test_any_text_is_answered_or_refused_with_a_position(stack: Stack, keys: TenantKeys) -> None:
    texts = list(hostile_texts(SEED, COUNT))

    def search(part: list[str]) -> Counter[int]:
        statuses = Counter[int]()
        with Api(stack.api_url, keys.query) as api:
            for number, text in enumerate(part):
                in_url = number % 3 == 1
                if in_url:
                    answer = api.get(f"/logs/search?query={quote(text, errors='surrogatepass')}")
                else:
                    answer = api.post("/logs/explain" if number % 3 else "/logs/search", {"query": text})
                statuses[answer.status_code] += 1
                assert answer.status_code in (200, 400), (ascii(text[:300]), answer.text)
                if answer.status_code == 400:
                    problem = answer.json()
                    assert problem["detail"], ascii(text[:300])
                    if in_url and any("\ud800" <= each <= "\udfff" for each in text):
                        assert problem["code"] == "invalid_request", (ascii(text[:300]), problem)
                        continue
                    assert problem["code"] == "invalid_query", (ascii(text[:300]), problem)
                    assert 0 <= problem["position"] <= len(text) * 3, (ascii(text[:300]), problem)
        return statuses

    with ThreadPoolExecutor(CLIENTS) as pool:
        statuses = sum(pool.map(search, (texts[first::CLIENTS] for first in range(CLIENTS))), Counter[int]())

    assert statuses[200] > COUNT // 20, "some of them mean something"
    assert statuses[400] > COUNT // 20, "some of them mean nothing"


def test_the_deepest_query_is_explained(stack: Stack, keys: TenantKeys) -> None:
    deepest = "z"
    for _ in range(MAX_DEPTH):
        deepest = f"(a OR b -{deepest})"

    with Api(stack.api_url, keys.query) as api:
        answer = api.post("/logs/explain", {"query": deepest})
    printed = stack.logsieve("logs", "explain", deepest, "--key", keys.query)

    assert answer.status_code == 200, answer.text
    assert str(answer.json()["ast"]).count("'Or'") == MAX_DEPTH
    assert printed.returncode == 0, printed.stderr
    assert answer.json()["query"] in printed.stdout
