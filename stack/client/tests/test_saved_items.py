"""Tests that an answer which is not one of the API is explained."""

from collections.abc import Callable

import httpx2
import pytest

from kit.errors import Internal, NotFound
from stack.client.saved_alerts import read_history
from stack.client.saved_views import read_view

LIST = {"id": "1", "name": "Errors"}
LISTS = {
    "alerts": LIST
    | dict.fromkeys(("query", "state", "severity", "detail"), "")
    | {"evaluated_at": None, "muted_until": None},
    "views": LIST | {"folder": "", "is_default": False},
}


def answer(request: httpx2.Request) -> httpx2.Response:
    """Answers lists like the API, and everything else like a proxy that wants the user to sign in."""
    path = request.url.path.strip("/")
    if path in LISTS:
        return httpx2.Response(200, json={path: [LISTS[path]]})
    return httpx2.Response(200, text="<html>Sign in</html>")


@pytest.mark.parametrize("read", [read_history, read_view])
def test_the_page_of_a_proxy_is_explained(read: Callable[[httpx2.Client, str], object]) -> None:
    with httpx2.Client(base_url="http://api/", transport=httpx2.MockTransport(answer)) as client:
        with pytest.raises(Internal, match="check --url"):
            read(client, "Errors")
        with pytest.raises(NotFound, match=r"there is no .* 'Eror'; `logsieve (alert|view) list` shows all"):
            read(client, "Eror")
