"""Steps of the installation: Python with its native part, the ClickHouse engine, Kafka's jars, the web UI, programs for
tests."""

import os
import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from typing import Final, TextIO

from kit.folders import IS_CHECKOUT, PACKAGES
from stack.install.class_archive import write_class_archive
from stack.install.step import Step, StepFailed, call, content_key, tree
from stack.runtime import (
    BROKER,
    BROKER_SOURCE,
    ENGINE,
    ENGINE_SOURCE,
    FRONTEND,
    RUNTIME,
    broker_jars,
    engine_library,
    engine_package,
)

UV_VERSION: Final = "0.13.8"
OLDEST_UV: Final = (0, 9)
BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome")
HEADLESS_SHELL: Final = "chromium-headless-shell"
NO_HEADLESS_SHELL: Final = RUNTIME / "no-headless-shell"
"""File that exists if the headless shell could not be installed."""
NATIVE: Final = PACKAGES / "native"
_NODE: Final = ("node", "npm")
_APT_LOCK: Final = threading.Lock()
"""Held while apt-get runs, because a second one that runs at the same time fails."""
_NOT_SOURCE: Final = frozenset(("node_modules", "dist", "target", "test-results", "playwright-report", "coverage"))


def steps(with_tests: bool) -> list[Step]:
    """Returns the steps this machine needs; `with_tests` adds what `make test` uses."""
    wanted = [_python(with_tests)] if IS_CHECKOUT else []
    if "LOGSIEVE_CLICKHOUSE_URL" not in os.environ and (engine_package() or not shutil.which("clickhouse")):
        wanted.append(_engine())
    if "LOGSIEVE_KAFKA_BOOTSTRAP" not in os.environ:
        wanted += [_broker(), _class_archive()]
    if IS_CHECKOUT and (FRONTEND / "package.json").exists():
        wanted += web_ui()
    if with_tests:
        wanted += [_browser(), _headless_shell(), _postgresql(), _nginx()]
    return wanted


def _python(with_tests: bool) -> Step:
    environment = PACKAGES / ".venv"
    groups = [] if with_tests else ["--no-dev", "--inexact"]
    names = ("python-tests", "python") if with_tests else ("python", "python-tests")

    def key() -> str:
        sources = [PACKAGES / "pyproject.toml", PACKAGES / "uv.lock", *tree(NATIVE, _NOT_SOURCE)]
        # Scripts and packages of the environment name the folder of the checkout.
        return content_key(sources, checkout=str(PACKAGES))

    def install(log: TextIO) -> None:
        if _is_of_another_folder(environment):
            shutil.rmtree(environment)
        sync = ["sync", "--frozen", "--compile-bytecode", "--python", _base_python(), *groups]
        call(log, [_uv(log), *sync], UV_PYTHON_DOWNLOADS="never", UV_PROJECT_ENVIRONMENT=str(environment))

    return Step(
        names[0],
        key=key,
        present=lambda: (environment / "bin" / "logsieve").exists(),
        install=install,
        replaces=names[1],
        programs=("cargo",),
    )


def _base_python() -> str:
    """Returns the Python that virtual environments are made from. The running one may be in the environment itself."""
    return str(getattr(sys, "_base_executable", sys.executable))


def _is_of_another_folder(environment: Path) -> bool:
    """Returns true if the virtual environment was made in another folder. Its scripts start the Python of that folder,
    and uv writes only some of them again."""
    script = environment / "bin" / "logsieve"
    return (
        script.exists()
        and not environment.is_symlink()
        and not re.search(rf"[!']{re.escape(str(environment))}/", script.read_text())
    )


def _uv(log: TextIO) -> str:
    """Returns a uv that reads our lock file: the one on PATH, or a pinned one in a separate venv."""
    on_path = shutil.which("uv")
    if on_path and _version(on_path) >= OLDEST_UV:
        return on_path
    pinned = RUNTIME / "uv" / "bin" / "uv"
    if not pinned.exists():
        call(log, [sys.executable, "-m", "venv", "--clear", str(RUNTIME / "uv")])
        call(log, [str(RUNTIME / "uv" / "bin" / "pip"), "install", f"uv=={UV_VERSION}"])
    return str(pinned)


def _version(program: str) -> tuple[int, ...]:
    answer = subprocess.run([program, "--version"], capture_output=True, text=True, check=False).stdout
    found = re.search(r"(\d+)\.(\d+)", answer)
    return (int(found[1]), int(found[2])) if found else (0,)


def _engine() -> Step:
    def install(log: TextIO) -> None:
        if engine_package() is None:
            raise StepFailed(
                "there is no ClickHouse package for this machine: install ClickHouse (`brew install clickhouse` on "
                "macOS), or set LOGSIEVE_CLICKHOUSE_URL to a server"
            )
        ENGINE.mkdir(parents=True, exist_ok=True)
        for name in ("package.json", "package-lock.json", ".npmrc"):
            shutil.copy(ENGINE_SOURCE / name, ENGINE / name)
        call(log, ["npm", "ci", "--ignore-scripts"], cwd=ENGINE)

    files = (ENGINE_SOURCE / "package.json", ENGINE_SOURCE / "package-lock.json")
    return Step(
        "clickhouse",
        lambda: content_key(files),
        lambda: engine_library() is not None,
        install,
        programs=_NODE if engine_package() else (),
    )


def _broker() -> Step:
    def install(log: TextIO) -> None:
        fresh = BROKER / "libs.new"
        shutil.rmtree(fresh, ignore_errors=True)
        pom = str(BROKER_SOURCE / "pom.xml")
        fetch = ["mvn", "-B", "-ntp", "-C", "-f", pom, "dependency:copy-dependencies"]
        call(log, [*fetch, f"-DoutputDirectory={fresh}"])
        shutil.rmtree(BROKER / "libs", ignore_errors=True)
        fresh.rename(BROKER / "libs")

    return Step(
        "kafka",
        lambda: content_key([BROKER_SOURCE / "pom.xml"]),
        lambda: broker_jars() is not None,
        install,
        programs=("java", "mvn"),
    )


def _class_archive() -> Step:
    """Returns the step that lets Kafka start faster. Never fails: Kafka starts without the archive too."""

    def key() -> str:
        java = Path(shutil.which("java") or "java").resolve()
        changed = java.stat().st_mtime_ns if java.exists() else 0
        return content_key([BROKER_SOURCE / "pom.xml"], java=str(java), changed=changed)

    def install(log: TextIO) -> None:
        try:
            write_class_archive(log)
        except (StepFailed, OSError) as failure:
            log.write(f"{failure}; Kafka starts without an archive of its classes\n")

    return Step("kafka-classes", key, lambda: True, install, after="kafka", programs=("java",))


def web_ui() -> list[Step]:
    """Returns the steps that build the web UI from a checkout."""
    return [_frontend_packages(), _frontend_build()]


def _frontend_packages() -> Step:
    files = (FRONTEND / "package.json", FRONTEND / "package-lock.json", FRONTEND / ".npmrc")
    return Step(
        "ui-packages",
        lambda: content_key(files),
        lambda: (FRONTEND / "node_modules").is_dir(),
        # Not `npm ci`, because it refuses a lock file that lacks optional packages of other platforms, as some
        # registries cause. This command installs the locked versions, adds missing packages, and does not change the
        # lock file (`--no-save`).
        lambda log: call(log, ["npm", "install", "--no-save", "--no-fund", "--no-audit"], cwd=FRONTEND),
        programs=_NODE,
    )


def _frontend_build() -> Step:
    return Step(
        "ui",
        lambda: content_key(tree(FRONTEND, _NOT_SOURCE)),
        lambda: (FRONTEND / "dist" / "index.html").exists(),
        lambda log: call(log, ["npm", "run", "build"], cwd=FRONTEND),
        after="ui-packages",
        programs=_NODE,
    )


def browser() -> Path | None:
    """Returns the Chromium that end-to-end tests drive."""
    found = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    return Path(found) if found else None


def postgresql_binaries() -> Path | None:
    """Returns the folder of `initdb` and `postgres`, which tests of the control plane run. Debian does not put it on
    PATH."""
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda folder: int(folder.parent.name), reverse=True)
    folders = os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/local/bin", *map(str, debian)])
    found = shutil.which("initdb", path=folders)
    # Follows Debian's links to the folder that has both programs.
    return Path(found).resolve().parent if found else None


def _browser() -> Step:
    return Step("browser", lambda: "any", lambda: browser() is not None, lambda log: _apt(log, "Chromium", "chromium"))


def _headless_shell() -> Step:
    """Returns the step that installs a browser which takes less CPU. Never fails: tests can use Chromium instead."""

    def is_installed() -> bool:
        return shutil.which(HEADLESS_SHELL) is not None

    def install(log: TextIO) -> None:
        NO_HEADLESS_SHELL.unlink(missing_ok=True)
        if not is_installed():
            try:
                _apt(log, "Chromium's headless shell", HEADLESS_SHELL)
            except StepFailed as failure:
                log.write(f"{failure}; tests of the web UI use Chromium\n")
                NO_HEADLESS_SHELL.touch()

    return Step("headless-shell", lambda: "any", lambda: is_installed() or NO_HEADLESS_SHELL.exists(), install)


def _postgresql() -> Step:
    # Debian starts the server that it installs. Tests do not use that server. They start one of their own, without a
    # port.
    return Step(
        "postgresql",
        lambda: "any",
        lambda: postgresql_binaries() is not None,
        lambda log: _apt(log, "PostgreSQL", "postgresql"),
    )


def nginx_binary() -> Path | None:
    """Returns the nginx that tests of deploy/nginx run."""
    unpacked = RUNTIME / "nginx" / "usr" / "sbin" / "nginx"
    found = shutil.which("nginx", path=os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/sbin"]))
    return Path(found) if found else unpacked if unpacked.exists() else None


def _nginx() -> Step:
    return Step("nginx", lambda: "any", lambda: nginx_binary() is not None, _unpack_nginx)


def _unpack_nginx(log: TextIO) -> None:
    """Unpacks Debian's package into the checkout, because installing it would start nginx on port 80 of the machine."""
    root = _apt_user("nginx", "nginx")
    folder = RUNTIME / "nginx"
    folder.mkdir(exist_ok=True)
    with _APT_LOCK:
        call(log, [*root, "apt-get", "update"])
        call(log, ["apt-get", "download", "nginx"], cwd=folder)
    for package in folder.glob("nginx_*.deb"):
        call(log, ["dpkg-deb", "--extract", str(package), str(folder)])
        package.unlink()


def _apt(log: TextIO, what: str, package: str) -> None:
    root = _apt_user(what, package)
    with _APT_LOCK:
        call(log, [*root, "apt-get", "update"])
        call(log, [*root, "apt-get", "install", "-y", "--no-install-recommends", package])


def _apt_user(what: str, package: str) -> list[str]:
    """Returns the words that make an apt-get command run as root. Raises StepFailed where it cannot."""
    root = [] if os.geteuid() == 0 else ["sudo", "-n"]
    if shutil.which("apt-get") is None or (root and shutil.which("sudo") is None):
        raise StepFailed(f"tests need {what}: `apt-get install {package}` on Debian, or put its programs on PATH")
    return root
