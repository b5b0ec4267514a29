"""Makes resources as tests use them."""

from dataclasses import replace

from backend.answers.budget import AnswerBudget
from backend.answers.resources import Resources
from kit.clock import Clock
from kit.settings import Settings


def resources_with(unread_bytes: int, clock: Clock) -> Resources:
    """Returns resources with a budget of this many bytes for answers that clients have not read."""
    return replace(Resources.of(Settings(), clock), answers=AnswerBudget(unread_bytes))
