"""Tests that each folder of the web UI imports only folders of lower layers."""

import re
from pathlib import Path
from typing import Final

import pytest

from kit.folders import PACKAGES

SOURCE: Final = PACKAGES / "frontend" / "src"
LAYERS: Final = (
    {"main"},
    {"App"},
    {"router"},
    {"alerts", "dashboards", "explorer", "navigation", "trace"},
    {"chart"},
    {"histogram", "patterns", "tail"},
    {"detail", "panels", "results", "start"},
    {"context", "export", "facets", "settings", "views"},
    {"jsonTree", "layout", "queryBar", "url"},
    {"columns", "explain", "session", "timeRange"},
    {"ui"},
    {"text"},
    {"language"},
    {"api", "plot", "preferences"},
    {"format", "severity", "styles", "testIds", "time"},
)
"""Folders of frontend/src, and the files beside them, from the highest layer to the lowest."""
PLACES: Final = {name: place for place, names in enumerate(LAYERS) for name in names}
IMPORTED: Final = re.compile(r'(?:\bfrom|\bimport\(?)\s*"(\.[^"]+)"')


def source_files() -> list[Path]:
    """Returns the product's own files: neither tests nor what only tests use."""
    return [
        path
        for path in sorted(SOURCE.rglob("*.ts*"))
        if ".test." not in path.name and not path.name.endswith(".d.ts") and "testing" not in path.parts
    ]


def layer_name(path: Path) -> str:
    """Returns the folder of frontend/src that has the file; for a file beside the folders, its name."""
    return path.relative_to(SOURCE).parts[0].split(".")[0]


def upward_imports(path: Path, text: str) -> list[str]:
    """Returns the paths that the file at `path` imports from its own layer or a higher one, not from its own folder."""
    own = layer_name(path)
    targets = [(path.parent / relative).resolve() for relative in IMPORTED.findall(text)]
    return [
        str(target.relative_to(SOURCE))
        for target in targets
        if layer_name(target) != own and PLACES[layer_name(target)] <= PLACES[own]
    ]


def test_folders_import_only_lower_layers() -> None:
    upward = {
        str(path.relative_to(SOURCE)): found
        for path in source_files()
        if (found := upward_imports(path, path.read_text()))
    }

    assert upward == {}


def test_every_folder_has_a_layer() -> None:
    folders = {path.name for path in SOURCE.iterdir() if path.is_dir()} | {layer_name(path) for path in source_files()}

    assert folders - {"testing"} == PLACES.keys()


@pytest.mark.parametrize(
    "line",
    [
        'import { Chart } from "../chart/Chart";',
        'import type { Chart } from "../chart/Chart";',
        'import "../chart/Chart.module.css";',
        'const Chart = lazy(() => import("../chart/Chart"));',
        'import { Patterns } from "../patterns/Patterns";',
    ],
)
def test_an_import_of_a_higher_or_equal_layer_is_found(line: str) -> None:
    assert len(upward_imports(SOURCE / "tail" / "Tail.tsx", line)) == 1
    assert upward_imports(SOURCE / "explorer" / "Page.tsx", line) == []
