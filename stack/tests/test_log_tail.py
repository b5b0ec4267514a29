"""Tests how long a live tail of the CLI pauses after a refusal."""

from random import Random

import httpx2
import pytest

from stack.client.log_tail import Notice, follow_logs

REFUSED = {"code": "rate_limited", "detail": "this tenant has 10 tails"}


@pytest.mark.parametrize(
    ("asked", "pause"), [("7", 7.0), ("0", 1.0), ("86400", 30.0), ("soon", 1.0), ("-5", 1.0), (None, 1.0)]
)
def test_a_refused_tail_waits_as_long_as_the_api_asks_for(
    asked: str | None, pause: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    headers = {"content-type": "application/problem+json"} | ({} if asked is None else {"retry-after": asked})
    pauses: list[float] = []

    class Ended(Exception):
        pass

    def sleep(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 2:
            raise Ended

    monkeypatch.setattr("stack.client.log_tail.time.sleep", sleep)
    transport = httpx2.MockTransport(lambda _: httpx2.Response(429, json=REFUSED, headers=headers))
    with httpx2.Client(base_url="http://api", transport=transport) as client:
        following = follow_logs(client, "error", Random())
        assert next(following) == Notice("trying again: this tenant has 10 tails")
        with pytest.raises(Ended):
            next(following)
    assert all(pause <= each <= 2 * pause for each in pauses)
    assert pauses[0] != pauses[1]
