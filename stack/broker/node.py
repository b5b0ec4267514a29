"""Names the ports and folders of the brokers that `up` starts."""

from dataclasses import dataclass
from pathlib import Path

from kit.kafka_settings import KAFKA_PORT_STEP
from kit.settings import Settings


@dataclass(frozen=True, slots=True)
class Broker:
    """One Kafka process: broker and controller in KRaft mode, on loopback."""

    number: int
    """Kafka's id of the node, from 1."""
    client_port: int
    controller_ports: tuple[int, ...]
    """Ports of the controllers of all brokers, in the order of their numbers."""
    root: Path

    @property
    def is_alone(self) -> bool:
        return len(self.controller_ports) == 1

    @property
    def controller_port(self) -> int:
        return self.controller_ports[self.number - 1]

    @property
    def name(self) -> str:
        """Name of the service: `kafka`, `kafka-2`, `kafka-3`."""
        return "kafka" if self.number == 1 else f"kafka-{self.number}"

    @property
    def data(self) -> Path:
        return self.root / "data"

    @property
    def meta(self) -> Path:
        """File that formatting writes last, with the cluster's id. A folder without it holds no records yet."""
        return self.data / "meta.properties"

    @property
    def is_formatted(self) -> bool:
        return self.meta.exists()

    @property
    def properties_file(self) -> Path:
        return self.root / "server.properties"


def brokers(settings: Settings) -> tuple[Broker, ...]:
    """Returns all brokers under home, the first one in the folder `kafka`."""
    home, indexes = settings.home.resolve(), range(settings.own_brokers)
    first_client, first_controller = settings.port(settings.kafka_port), settings.port(settings.kafka_controller_port)
    controllers = tuple(first_controller + KAFKA_PORT_STEP * index for index in indexes)
    return tuple(
        Broker(
            number=index + 1,
            client_port=first_client + KAFKA_PORT_STEP * index,
            controller_ports=controllers,
            root=home / ("kafka" if index == 0 else f"kafka-{index + 1}"),
        )
        for index in indexes
    )


def cluster_id_file(settings: Settings) -> Path:
    """Returns the file with the cluster's id, which several brokers share. A single broker has no such file."""
    return settings.home.resolve() / "kafka" / "cluster-id"
