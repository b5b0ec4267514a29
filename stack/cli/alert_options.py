"""Parses the options of `logsieve alert save`."""

import math
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

import typer

# The last operator separates function and number, because the function may contain operators, as count_if(status:>=500)
# does.
_CONDITION: Final = re.compile(r"\s*(?P<column>.*\S)\s*(?P<comparison>>=|<=|==|>|<)\s*(?P<threshold>\S+)\s*")
_NO_DATA: Final = re.compile(r"\s*(?P<column>.+?)\s+no_data\s*")


def condition_of(text: str) -> dict[str, Any]:
    """Returns a condition such as `count() > 5` or `count() no_data` in the form that the API takes. Raises
    typer.BadParameter."""
    if found := _NO_DATA.fullmatch(text):
        return {"column": found["column"], "comparison": "no_data", "threshold": None}
    if found := _CONDITION.fullmatch(text):
        try:
            threshold = float(found["threshold"])
        except ValueError:
            threshold = math.nan
        if not math.isfinite(threshold):
            raise typer.BadParameter(f"{found['threshold']!r} is not a finite number: write --when 'count() > 5'")
        return {**found.groupdict(), "threshold": threshold}
    raise typer.BadParameter(
        f"{text!r} is not a condition: write a function of the query, one of > >= < <= == and a number, such as "
        "--when 'count() > 5', or --when 'count() no_data'"
    )


def pairs_of(texts: Iterable[str], separator: str, option: str) -> dict[str, str]:
    """Returns the names and values of texts such as `team=checkout`. Raises typer.BadParameter, which names the
    option."""
    pairs = {}
    for text in texts:
        name, found, value = text.partition(separator)
        if not found or not name.strip():
            raise typer.BadParameter(f"{text!r} has no {separator!r}: write {option} 'name{separator}value'")
        pairs[name.strip()] = value.strip()
    return pairs


def channels_of(
    urls: Mapping[str, Iterable[str]], headers: dict[str, str], recipients: Iterable[str]
) -> list[dict[str, Any]]:
    """Returns channels in the form that the API takes. `urls` has the URLs of each kind. Each URL gets all headers.
    Raises typer.BadParameter for headers without a URL."""
    channels: list[dict[str, Any]] = [
        {"kind": kind, "url": url, "headers": headers} for kind, given in urls.items() for url in given
    ]
    if headers and not channels:
        raise typer.BadParameter(
            "--header is for requests to URLs, and no URL is given: add the URLs of --webhook, --slack and"
            " --alertmanager; the given channels replace all channels of the rule"
        )
    if addresses := list(recipients):
        channels.append({"kind": "email", "recipients": addresses})
    return channels
