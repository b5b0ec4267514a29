"""Client of the REST API with a query key, for commands."""

import json
from typing import Any, Final, TypeVar

import httpx2
from pydantic import BaseModel, ConfigDict, RootModel

from kit.errors import Internal, Unavailable

Answer = TypeVar("Answer", bound=BaseModel)
_FROM_PROXIES: Final = (502, 503, 504)
"""Statuses of a proxy that does not reach the API. The API itself sends these statuses only with a problem."""
_UNTRUSTED: Final = "unable to get local issuer certificate"
"""Text of OpenSSL about a certificate of an unknown authority."""


class Problem(BaseModel):
    """A problem+json answer (RFC 9457) with the fields that query errors add."""

    model_config = ConfigDict(extra="ignore")

    code: str
    detail: str
    position: int | None = None
    expected: list[str] | None = None
    search_as_text: str | None = None


class SearchRefused(Exception):
    """The API answered with a problem."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.detail)
        self.problem = problem


def require_success(client: httpx2.Client, answer: httpx2.Response) -> None:
    """Raises SearchRefused for a problem answer, Unavailable if a proxy did not reach the API, else Internal.

    The caller has read the body of the answer.
    """
    if answer.is_success:
        return
    if answer.headers.get("content-type", "").startswith("application/problem+json"):
        raise SearchRefused(parsed(Problem, answer.content))
    if answer.status_code in _FROM_PROXIES:
        raise Unavailable(f"the API at {client.base_url} cannot be reached: a proxy answered {answer.status_code}")
    raise Internal(f"the API at {client.base_url} answered {answer.status_code} without a reason; the API's log has it")


def unreachable(client: httpx2.Client, error: httpx2.HTTPError) -> Unavailable:
    """Returns the error for an API that gave no answer. Its text says what to do."""
    reason = str(error) or type(error).__name__
    advice = "check --url, or run `logsieve status`"
    if _UNTRUSTED in reason:
        advice = (
            "set SSL_CERT_FILE to a PEM file with the certificate of the authority that signed the API's certificate"
        )
    elif client.base_url.scheme == "http" and isinstance(error, httpx2.RemoteProtocolError):
        advice += "; if the API uses TLS, set LOGSIEVE_TLS_CERT_FILE as for the API, or give --url with https://"
    return Unavailable(f"the API at {client.base_url} does not answer: {reason}; {advice}")


def requested(client: httpx2.Client, method: str, path: str, seconds: float, body: object = None) -> httpx2.Response:
    """Sends a request, with a JSON body unless it is None, and returns the answer. Waits at most `seconds`.

    Raises SearchRefused for a problem answer, Unavailable without an answer.
    """
    try:
        answer = client.request(method, path, json=body, timeout=seconds)
    except httpx2.HTTPError as error:
        raise unreachable(client, error) from error
    require_success(client, answer)
    return answer


def parsed(model: type[Answer], content: bytes) -> Answer:
    """Returns the parsed body of an answer. Raises Internal if it is not one of this API, but for example the page of a
    proxy that wants the user to sign in."""
    try:
        # Pydantic's parser refuses more than 200 levels. The tree of an explained query may have more.
        return model.model_validate(json.loads(content))
    except ValueError as error:
        raise Internal(
            "the answer does not have the form that the API of this release uses: check --url, and use the same "
            "release of the command and the server"
        ) from error


def json_object(content: bytes) -> dict[str, Any]:
    """Returns the body of an answer that is a JSON object with any members. Raises what `parsed` raises."""
    return parsed(RootModel[dict[str, Any]], content).root
