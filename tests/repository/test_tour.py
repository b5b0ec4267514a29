"""Tests that docs/tour.md shows all pages of the web UI, and that its pictures exist and are small."""

import re
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[2]
TOUR: Final = ROOT / "docs/tour.md"
IMAGES: Final = ROOT / "docs/images"
MAX_BYTES: Final = 150_000

_HEADING: Final = re.compile(r"^#+ (.+)$", re.MULTILINE)
_PICTURE: Final = re.compile(r"!\[([^\]]*)\]\(([^)]+)\)")


def names_in(path: str, pattern: str) -> list[str]:
    """Returns the names that a regular expression finds in a file of the web UI."""
    found = re.findall(pattern, (ROOT / "frontend/src" / path).read_text())
    assert found
    return found


PICTURES: Final = _PICTURE.findall(TOUR.read_text())


def test_the_tour_names_every_page_of_the_navigation_and_every_section_of_settings() -> None:
    pages = names_in("navigation/Navigation.tsx", r'<Caption icon="\w+" text="([^"]+)" />')
    sections = names_in("settings/sections.ts", r'title: "([^"]+)"')
    assert {*pages, *sections, "Sign in"} <= set(_HEADING.findall(TOUR.read_text()))


@pytest.mark.parametrize(("shows", "path"), PICTURES, ids=[Path(path).stem for _, path in PICTURES])
def test_a_picture_of_the_tour_exists_and_is_small(shows: str, path: str) -> None:
    picture = TOUR.parent / path
    assert shows
    assert 0 < picture.stat().st_size <= MAX_BYTES


def test_every_picture_is_shown_by_the_tour_and_has_a_scene() -> None:
    shown = {Path(path).name for _, path in PICTURES}
    assert shown == {picture.name for picture in IMAGES.iterdir()}
    scenes = re.findall(r'    Scene\("([^"]+)"', (ROOT / "tests/ui/scenes.py").read_text())
    assert shown == {f"{scene}.webp" for scene in (*scenes, "search-dark")}


@pytest.mark.parametrize("page", ["README.md", "docs/web-ui.md"])
def test_the_tour_is_linked(page: str) -> None:
    assert "tour.md)" in (ROOT / page).read_text()
