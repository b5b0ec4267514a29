"""Tests that the SVG file shows Real and CPU side by side, without scripts, with any name of a function."""

import xml.etree.ElementTree as ET

from kit.profile.flame_svg import flame_svg
from kit.profile.stacks import Profile

SVG = "{http://www.w3.org/2000/svg}"
NAME = 'DB::f<"a & b">(int)'
PROFILE = Profile({("t", NAME): 3, ("t", NAME, "syscall"): 6, ("t", "x"): 3}, {("t", NAME): 4})


def frames(svg: str) -> list[tuple[str, float, float, str]]:
    """Returns name, left edge, width and tooltip of each frame."""
    found = []
    for group in ET.fromstring(svg).iter(f"{SVG}g"):
        rect, title = group.find(f"{SVG}rect"), group.find(f"{SVG}title")
        assert rect is not None
        assert title is not None
        found.append(
            (group.attrib["data-frame"], float(rect.attrib["x"]), float(rect.attrib["width"]), title.text or "")
        )
    return found


def test_both_graphs_are_in_one_file_and_as_wide_as_their_samples() -> None:
    drawn = frames(flame_svg(PROFILE, "title", "explanation"))

    real, cpu = ([each for each in drawn if (each[1] < 700) == left] for left in (True, False))
    widths = {name: width for name, _, width, _ in real}
    assert widths[NAME] == 0.75 * widths["t"]
    assert widths["syscall"] == 0.5 * widths["t"]
    assert {name for name, *_ in cpu} == {"t", NAME}, "the wait is in Real only"
    assert {width for _, _, width, _ in cpu} == {widths["t"]}


def test_tooltips_have_whole_names_and_shares() -> None:
    told = {name: title for name, _, _, title in frames(flame_svg(PROFILE, "title"))}

    assert told["syscall"] == "syscall: 6 samples, 50.0%"
    assert told["x"] == "x: 3 samples, 25.0%"


def test_waits_for_locks_have_a_colour_of_their_own_and_nothing_runs_scripts() -> None:
    svg = flame_svg(PROFILE, "a < b")

    assert "script" not in svg
    assert svg.count("#dc2626") == 2  # the legend, and the frame
    assert "a &lt; b" in svg


def test_a_profile_without_samples_is_an_empty_picture() -> None:
    svg = flame_svg(Profile({}, {}), "nothing")

    assert frames(svg) == []
    assert "Real: 0 samples" in svg
