"""Finds violations of accessibility rules in a page with axe-core."""

from pathlib import Path
from typing import Any, Final, Literal

from playwright.sync_api import Page

AXE: Final = Path(__file__).parents[2] / "frontend/node_modules/axe-core/axe.min.js"
SETTLED: Final = "() => document.getAnimations().length === 0"
"""Returns true when animations have ended. Before, axe would measure contrast with colours between two themes."""
THEMES: Final[tuple[Literal["light", "dark"], ...]] = ("dark", "light")

VIOLATIONS: Final = """async () => {
  // The document is the same in both themes, so the dark theme is checked only by the rules about colours.
  const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
  const colours = { runOnly: { type: "rule", values: ["color-contrast", "link-in-text-block"] } };
  // axe runs its only rule of WCAG 2.2 on request.
  const all = { rules: { "target-size": { enabled: true } } };
  // Selectors of elements that pass a rule take long to compute, and nobody reads them.
  const { violations } = await axe.run(document, { resultTypes: ["violations"], ...(isDark ? colours : all) });
  return violations.map(({ id, nodes }) => [id, nodes.slice(0, 3).map(({ html }) => html.slice(0, 200))]);
}"""


def violations(page: Page) -> list[Any]:
    """Returns the violations of WCAG 2.2 A and AA, and of axe's best practices, in both themes; the light one stays."""
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(AXE.read_text())
    found: list[Any] = []
    for theme in THEMES:
        page.emulate_media(color_scheme=theme, reduced_motion="reduce")
        page.wait_for_function(SETTLED)
        found += page.evaluate(VIOLATIONS)
    return found
