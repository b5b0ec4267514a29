import asyncio

from starlette.types import Message, Receive, Scope, Send

from backend.abandoned import CancelAbandoned


def exchange(
    method: str, client_goes_after: float, answer_takes: float, path: str = "/api/v1/admin/tenants"
) -> tuple[list[str], list[Message]]:
    """Records whether the application was cancelled, and the messages that were sent."""
    noticed: list[str] = []
    sent: list[Message] = []

    async def application(_: Scope, receive: Receive, send: Send) -> None:
        while (message := await receive()).get("more_body"):
            assert message["type"] == "http.request"
        try:
            await asyncio.sleep(answer_takes)
            await send({"type": "http.response.start", "status": 200, "headers": []})
            noticed.append("answered")
        except asyncio.CancelledError:
            noticed.append("cancelled")
            raise

    async def run() -> None:
        first = [{"type": "http.request", "body": b"", "more_body": more} for more in (False, True)]

        async def receive() -> Message:
            if first:
                return first.pop()
            await asyncio.sleep(client_goes_after)
            return {"type": "http.disconnect"}

        async def send(message: Message) -> None:
            sent.append(message)

        async with asyncio.timeout(5):
            await CancelAbandoned(application)({"type": "http", "method": method, "path": path}, receive, send)

    asyncio.run(run())
    return noticed, sent


def test_an_answer_nobody_waits_for_is_cancelled() -> None:
    assert exchange("GET", client_goes_after=0.01, answer_takes=10) == (["cancelled"], [])


def test_a_query_in_a_body_is_cancelled_too() -> None:
    path = "/api/v1/logs/search"
    assert exchange("POST", client_goes_after=0.01, answer_takes=10, path=path) == (["cancelled"], [])
    assert exchange("POST", client_goes_after=10, answer_takes=0.01, path=path)[0] == ["answered"]


def test_an_answer_somebody_waits_for_is_given() -> None:
    noticed, sent = exchange("GET", client_goes_after=10, answer_takes=0.01)

    assert noticed == ["answered"]
    assert [message["type"] for message in sent] == ["http.response.start"]


def test_a_request_that_changes_something_is_never_cut_short() -> None:
    assert exchange("POST", client_goes_after=0.0, answer_takes=0.05)[0] == ["answered"]
