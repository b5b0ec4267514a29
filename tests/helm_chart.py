"""The chart in deploy/helm, as helm renders it for tests."""

import shutil
import subprocess
from typing import Any, Final

import pytest
import yaml

from kit.folders import PACKAGES

CHART: Final = PACKAGES / "deploy" / "helm" / "logsieve"
MINIMAL: Final = (
    "--set=settings.LOGSIEVE_CLICKHOUSE_URL=http://clickhouse:8123",
    "--set=settings.LOGSIEVE_KAFKA_BOOTSTRAP=kafka:9092",
    "--set=secrets.values.control_url=postgresql+asyncpg://a:b@postgres/logsieve",
)
EXAMPLE: Final = f"--values={PACKAGES / 'deploy' / 'helm' / 'example.yaml'}"

with_helm = pytest.mark.skipif(shutil.which("helm") is None, reason="this machine has no helm")


def render(*options: str, release: str = "logs") -> subprocess.CompletedProcess[str]:
    """Runs `helm template` with these options. Does not check its exit code."""
    # A helm that `go install` built takes an old release of Kubernetes for the newest one.
    command = ["helm", "template", release, str(CHART), "--kube-version=1.30.0", *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def rendered(*options: str, release: str = "logs") -> list[dict[str, Any]]:
    """Returns the resources that helm renders with these options."""
    done = render(*options, release=release)
    assert done.returncode == 0, done.stderr
    return [each for each in yaml.safe_load_all(done.stdout) if each]


def by_name(resources: list[dict[str, Any]], kind: str) -> dict[str, dict[str, Any]]:
    """Returns the resources of a kind by their names."""
    return {each["metadata"]["name"]: each for each in resources if each["kind"] == kind}


def container(workload: dict[str, Any]) -> dict[str, Any]:
    """Returns the container of a Deployment or StatefulSet."""
    (only,) = workload["spec"]["template"]["spec"]["containers"]
    assert isinstance(only, dict)
    return only
