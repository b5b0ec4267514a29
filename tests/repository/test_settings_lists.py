"""Tests that the web UI has the server's names of built-in redactions and of outcomes of requests."""

import json
from typing import Final

from ingest.receiver.gate import Limit
from kit.errors import InvalidRequest, RateLimited, TooLarge, Unavailable, UnsupportedMediaType
from kit.folders import PACKAGES
from schema.redactions import BUILT_IN
from schema.refusals import RecordReason

SETTINGS: Final = PACKAGES / "frontend" / "src" / "settings"
REFUSED_AS_A_WHOLE: Final = (InvalidRequest, UnsupportedMediaType, TooLarge, RateLimited, Unavailable)
"""Errors with which the receiver refuses a whole request of a known tenant, except internal errors."""


def test_the_ui_offers_the_redactions_that_are_built_in() -> None:
    assert json.loads((SETTINGS / "attributes" / "builtInRedactions.json").read_text()) == list(BUILT_IN)


def test_the_ui_has_advice_for_every_outcome_that_usage_counts() -> None:
    outcomes = json.loads((SETTINGS / "usage" / "outcomes.json").read_text())
    errors = {error.code for error in REFUSED_AS_A_WHOLE}
    assert outcomes.keys() == {"accepted", *RecordReason, *Limit, *errors}
