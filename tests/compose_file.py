"""The compose files of the project, as their tests read them."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import yaml

from kit.folders import PACKAGES

Service = dict[str, Any]


@dataclass(frozen=True)
class ComposeFile:
    """A compose file in the root of the project, by its name."""

    name: str

    @cached_property
    def text(self) -> str:
        return (PACKAGES / self.name).read_text()

    @cached_property
    def content(self) -> dict[str, Any]:
        content: dict[str, Any] = yaml.safe_load(self.text)
        return content

    @property
    def services(self) -> dict[str, Service]:
        services: dict[str, Service] = self.content["services"]
        return services

    @property
    def ours(self) -> dict[str, Service]:
        """Services that run our image."""
        return {name: service for name, service in self.services.items() if "build" in service}

    @property
    def images(self) -> dict[str, str]:
        """Names of the images of all other services."""
        return {name: service["image"] for name, service in self.services.items() if "build" not in service}

    def __str__(self) -> str:
        return self.name


ONE_NODE: Final = ComposeFile("docker-compose.yml")
CLUSTER: Final = ComposeFile("docker-compose.cluster.yml")
COMPOSE_FILES: Final = (ONE_NODE, CLUSTER)
