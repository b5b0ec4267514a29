"""Build backend (PEP 517). A wheel has the Python packages, the native module and the built web UI.

All but the wheel is uv_build's: a checkout installs the native module as a package of its own, which is built again
only when `native/` changes.
"""

import shutil
import subprocess
import sys
import zipfile
from email.parser import Parser
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import uv_build
from uv_build import build_editable, build_sdist, get_requires_for_build_editable, prepare_metadata_for_build_editable

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
]

ROOT = Path(__file__).resolve().parent.parent
FRONTEND = ROOT / "frontend"
UI = "backend/ui/dist"
"""Place of the web UI in the wheel, as kit/folders.py has it."""


def get_requires_for_build_wheel(config_settings: dict[str, Any] | None = None) -> list[str]:
    return [*uv_build.get_requires_for_build_wheel(config_settings), "maturin>=1.16,<2", "wheel>=0.45"]


# There is no prepare_metadata_for_build_wheel: uv_build's would name the native module as a package to install.


def build_wheel(
    wheel_directory: str, config_settings: dict[str, Any] | None = None, metadata_directory: str | None = None
) -> str:
    """Builds the wheel in this folder and returns its name. Needs Rust, and Node.js unless the web UI is built from
    the present files."""
    from wheel.wheelfile import WheelFile  # noqa: PLC0415 there for wheels only

    with TemporaryDirectory() as folder:
        tree, native = Path(folder, "tree"), Path(folder, "native")
        _unzip(Path(folder, uv_build.build_wheel(folder, config_settings, metadata_directory)), tree)
        tag = _build_native(native)
        _unzip(next(native.glob("*.whl")), tree)
        for unused in tree.glob("logsieve_native-*.dist-info"):
            shutil.rmtree(unused)
        shutil.copytree(_built_ui(), tree / UI)
        (info,) = tree.glob("logsieve-*.dist-info")
        _rewrite(info / "METADATA", drop="Requires-Dist: logsieve-native")
        _rewrite(info / "WHEEL", drop="Tag: ")
        with (info / "WHEEL").open("a") as file:
            file.write(f"Tag: {tag}\n")
        name = f"{info.name.removesuffix('.dist-info')}-{tag}.whl"
        with WheelFile(Path(wheel_directory, name), "w") as wheel:
            wheel.write_files(str(tree))
        return name


def _build_native(folder: Path) -> str:
    """Builds the native module as a wheel in this folder and returns the wheel's tag."""
    maturin = shutil.which("maturin") or str(Path(sys.executable).with_name("maturin"))
    command = [maturin, "build", "--release", "--locked", "--interpreter", sys.executable, "--out", str(folder)]
    subprocess.run(command, cwd=ROOT / "native", check=True)
    with zipfile.ZipFile(next(folder.glob("*.whl"))) as wheel:
        (info,) = (name for name in wheel.namelist() if name.endswith(".dist-info/WHEEL"))
        return Parser().parsestr(wheel.read(info).decode())["Tag"]


def _built_ui() -> Path:
    """Returns the folder of the web UI. Builds it unless scripts/setup, or an earlier wheel, built it from the same
    files."""
    sys.path.insert(0, str(ROOT))
    from stack.install.step import StepFailed  # noqa: PLC0415 a front end imports this module without the checkout
    from stack.install.steps import web_ui  # noqa: PLC0415

    steps = [step for step in web_ui() if not step.is_done()]
    if steps and shutil.which("npm") is None:
        sys.exit("the wheel needs the web UI, and npm was not found to build it: install Node.js 20 or newer")
    for step in steps:
        try:
            step.run()
        except (StepFailed, OSError) as error:
            # The folder of a build from a repository's address is removed, with the log in it.
            lines = step.log_file.read_text(errors="replace").splitlines()[-15:] if step.log_file.exists() else []
            sys.exit("\n".join([f"the wheel needs the web UI, and building it failed: {error}; its log ends:", *lines]))
    return FRONTEND / "dist"


def _unzip(wheel: Path, folder: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)


def _rewrite(file: Path, drop: str) -> None:
    """Takes out the lines that begin so, and says that the wheel is for one platform."""
    lines = [line for line in file.read_text().splitlines() if not line.startswith(drop)]
    file.write_text("\n".join(lines).replace("Root-Is-Purelib: true", "Root-Is-Purelib: false").rstrip() + "\n")
