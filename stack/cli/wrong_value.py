"""Explains values that pydantic refused: settings, and arguments and options of commands."""

from typing import Final

from pydantic_core import ErrorDetails

_MUST_BE: Final = "Input should be "
_BOOLEAN: Final = ("bool_parsing", "bool_type")


def wrong_setting(problem: ErrorDetails) -> str:
    """Returns the sentence about a setting: its variable, its value unless that is a text, and what is allowed."""
    if not problem["loc"]:
        return _reason(problem)
    key = ".".join(map(str, problem["loc"]))
    variable = f"LOGSIEVE_{key.upper()}"
    if problem["type"] == "extra_forbidden":
        return f"the file of LOGSIEVE_CONFIG has the key {key}, which is no setting: `logsieve settings` lists them all"
    if (must_be := _must_be(problem)) is None:
        reason = _reason(problem)
        return reason if reason.startswith(variable) else f"{variable}: {reason}"
    # A refused text is not shown, because it may be a secret.
    given = "of a wrong type" if problem["type"].startswith("string_") else repr(problem["input"])
    return f"{variable} is {given}: it must be {must_be}"


def wrong_option(problem: ErrorDetails) -> str:
    """Returns the sentence about the value of an argument or an option, which the caller names before it."""
    must_be = _must_be(problem)
    return _reason(problem) if must_be is None else f"{problem['input']!r} must be {must_be}"


def _must_be(problem: ErrorDetails) -> str | None:
    """Returns what the value must be; None for a problem that pydantic describes in another way."""
    if problem["type"] in _BOOLEAN:
        return "true or false"
    if not problem["msg"].startswith(_MUST_BE):
        return None
    # The rest says how pydantic read the value, for example ", unable to parse string as an integer".
    return problem["msg"].removeprefix(_MUST_BE).partition(", unable to ")[0]


def _reason(problem: ErrorDetails) -> str:
    return problem["msg"].removeprefix("Value error, ").removesuffix(".")
