"""The members of a dashboard that users choose, and their allowed values."""

import json
from collections.abc import Collection
from dataclasses import asdict, dataclass
from typing import Final

from backend.saved_items import check_text, is_item_id
from backend.views.time_expression import resolve_time
from kit.errors import InvalidRequest

MAX_PANELS: Final = 24
GRID_COLUMNS: Final = 3
"""Number of columns of the grid, and largest width of a panel."""

MAX_HEIGHT: Final = 3
MIN_REFRESH_SECONDS: Final = 10
MAX_REFRESH_SECONDS: Final = 86_400


@dataclass(frozen=True, slots=True)
class Panel:
    """A panel that shows a view. `view` is the id of the view. If `title` is empty, the name of the view is shown.

    `width` is in columns of the grid, 1 to GRID_COLUMNS; `height` is in rows of the grid, 1 to MAX_HEIGHT.
    """

    view: str
    title: str
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class DashboardContent:
    """All members of a dashboard that users choose. The range of the dashboard replaces the ranges of its views.

    `start` and `end` may be relative to now, such as `now-1h`. If `refresh_seconds` is None, panels are read again only
    when a user requests it. The panels are in reading order.
    """

    name: str
    start: str
    end: str
    refresh_seconds: int | None
    panels: tuple[Panel, ...]


def check_content(content: DashboardContent, now_ns: int) -> None:
    """Raises InvalidRequest for a value that cannot be stored or shown. Does not check that the views exist."""
    check_text("name", content.name)
    if resolve_time(content.start, now_ns, "start") >= resolve_time(content.end, now_ns, "end"):
        raise InvalidRequest(f"the range from {content.start} to {content.end} is empty: `start` must be before `end`")
    refresh = content.refresh_seconds
    if refresh is not None and not MIN_REFRESH_SECONDS <= refresh <= MAX_REFRESH_SECONDS:
        raise InvalidRequest(
            f"`refresh_seconds` is {refresh}: it must be {MIN_REFRESH_SECONDS} to {MAX_REFRESH_SECONDS}, or null"
        )
    if len(content.panels) > MAX_PANELS:
        raise InvalidRequest(
            f"the dashboard has {len(content.panels)} panels: give at most {MAX_PANELS}, or make a second dashboard"
        )
    for panel in content.panels:
        _check_panel(panel)


def check_views(panels: Collection[Panel], known: Collection[str]) -> None:
    """Raises InvalidRequest if the view of a panel is not one of the ids `known`."""
    if missing := next((panel.view for panel in panels if panel.view not in known), None):
        raise InvalidRequest(f"`panels.view` is {missing!r}: no view has this id; `GET /api/v1/views` has all ids")


def panels_to_json(panels: tuple[Panel, ...]) -> str:
    """Returns the stored form of panels."""
    return json.dumps([asdict(panel) for panel in panels], separators=(",", ":"))


def panels_from_json(text: str) -> tuple[Panel, ...]:
    """Returns the panels of a stored dashboard."""
    return tuple(Panel(each["view"], each["title"], each["width"], each["height"]) for each in json.loads(text))


def _check_panel(panel: Panel) -> None:
    if not is_item_id(panel.view):
        raise InvalidRequest(
            f"`panels.view` is {panel.view[:100]!r}: it must be the id of a view, 12 hexadecimal digits"
        )
    if panel.title:
        check_text("panels.title", panel.title)
    for member, value, largest in (("width", panel.width, GRID_COLUMNS), ("height", panel.height, MAX_HEIGHT)):
        if not 1 <= value <= largest:
            raise InvalidRequest(f"`panels.{member}` is {value}: it must be 1 to {largest}")
