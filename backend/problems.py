"""Errors over HTTP: `application/problem+json` of RFC 9457, with a stable `code`."""

from typing import Any, Final

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException
from starlette.routing import Match
from starlette.types import Scope

from backend.description import PATH as DESCRIPTION
from backend.failure_log import FailureLog
from backend.invalid_input import invalid_input, unreadable_body
from kit.errors import Internal, InvalidQuery, InvalidRequest, LogsieveError, NotFound, RetryableError, TooLarge

_ERRORS_OF_FASTAPI: Final = ("HTTPValidationError", "ValidationError")
"""Schemas of the answer 422 that FastAPI describes for routes with parameters. The API answers 400 with a Problem."""

_METHODS: Final = ("GET", "POST", "PUT", "PATCH", "DELETE")
"""Methods that the routes of the API have. HEAD is answered like GET."""


class Problem(BaseModel):
    """An error, with what to do about it."""

    type: str = Field(description="Always `about:blank`. Programs should use `code`.")
    title: str
    status: int
    code: str
    detail: str
    position: int | None = Field(None, description="Position of the error in the query text, in characters from 0.")
    expected: list[str] | None = Field(None, description="Texts that would be valid at `position`.")
    search_as_text: str | None = Field(
        None, description="A valid query that finds the words of the refused query next to each other, in this order."
    )


def no_such_endpoint(path: str) -> str:
    """Returns the error text for a path that the API does not have."""
    return f"No such endpoint: {path}. The API is described at {DESCRIPTION}."


def responses(*errors: type[LogsieveError]) -> dict[int | str, dict[str, Any]]:
    """Returns the OpenAPI entry of the errors that a route may answer with."""
    return {
        error.status: {
            "description": error.title,
            "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
        }
        for error in errors
    }


def failure_of(error: Exception) -> LogsieveError:
    """Returns the error to show to clients.

    An unexpected error becomes Internal, and its text stays out of the answer.
    """
    if isinstance(error, LogsieveError):
        return error
    return Internal("an internal error of Logsieve; the log of the API has the details")


def problem_of(error: LogsieveError) -> Problem:
    """Returns the error as a problem document."""
    problem = Problem(type="about:blank", title=error.title, status=error.status, code=error.code, detail=error.detail)
    if isinstance(error, InvalidQuery):
        problem.position = error.position
        problem.expected = list(error.expected)
        problem.search_as_text = error.search_as_text
    return problem


def problem_response(error: LogsieveError) -> JSONResponse:
    """Returns the error as an HTTP answer."""
    headers = {}
    if isinstance(error, RetryableError):
        headers["Retry-After"] = error.retry_after_header
    if error.status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    return JSONResponse(
        problem_of(error).model_dump(exclude_none=True),
        status_code=error.status,
        headers=headers,
        media_type="application/problem+json",
    )


def _describe_errors(operation: dict[str, Any]) -> None:
    """Adds the errors that every route may answer with, and removes FastAPI's own, which no route answers with."""
    errors = operation["responses"]
    if any(name in str(errors.get("422")) for name in _ERRORS_OF_FASTAPI):
        del errors["422"]
    every = (InvalidRequest, TooLarge) if "requestBody" in operation else (InvalidRequest,)
    for status, description in responses(*every).items():
        errors.setdefault(str(status), description)


def _allowed_methods(request: Request) -> list[str]:
    """Returns the methods of all routes with the request's path. Starlette names only those of the first route."""
    routes = request.app.router.routes
    return [
        method
        for method in _METHODS
        if any(route.matches({**request.scope, "method": method})[0] is Match.FULL for route in routes)
    ]


def route_of(scope: Scope) -> str | None:
    """Returns the template of the route that answered, such as `/api/v1/logs/{id}`; None if no route matched."""
    return getattr(scope.get("route"), "path", None)


def install(app: FastAPI) -> None:
    """Makes every error of the application a problem, and describes problems in its OpenAPI document."""
    described, failures = app.openapi, FailureLog()

    def openapi() -> dict[str, Any]:
        document = described()
        schemas = document["components"]["schemas"]
        schemas["Problem"] = Problem.model_json_schema()
        for name in _ERRORS_OF_FASTAPI:
            schemas.pop(name, None)
        for path in document["paths"].values():
            for operation in path.values():
                _describe_errors(operation)
        return document

    app.openapi = openapi  # type: ignore[method-assign]  # FastAPI's documented way to extend the document

    @app.exception_handler(LogsieveError)
    async def expected(request: Request, error: LogsieveError) -> JSONResponse:
        if error.status >= 500:
            failures.failed(route_of(request.scope), error)
        return problem_response(error)

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> JSONResponse:
        return problem_response(InvalidRequest(invalid_input(request, error.errors())))

    @app.exception_handler(HTTPException)
    async def http(request: Request, error: HTTPException) -> JSONResponse:
        if error.status_code == 404:
            return problem_response(NotFound(no_such_endpoint(request.url.path)))
        headers = dict(error.headers or {})
        if "Allow" in headers:
            allowed = _allowed_methods(request)
            headers["Allow"] = ", ".join(allowed)
            detail = f"{request.url.path} does not take {request.method}: use {', '.join(allowed)}"
        else:
            # FastAPI has the same text for several errors of the JSON decoder, and keeps the error as the cause.
            detail = unreadable_body(error.__cause__) or str(error.detail).lower()
        problem = problem_of(InvalidRequest(detail)).model_copy(update={"status": error.status_code})
        return JSONResponse(
            problem.model_dump(exclude_none=True),
            status_code=error.status_code,
            headers=headers,
            media_type="application/problem+json",
        )

    @app.exception_handler(Exception)
    async def unexpected(request: Request, error: Exception) -> JSONResponse:
        failure = failure_of(error)
        failures.failed(route_of(request.scope), failure, error)
        return problem_response(failure)
