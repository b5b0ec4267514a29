"""Lists all attacks, in the order of the study."""

from typing import Final

from loadtest.hostile import bodies, connections, content, floods, reading

ATTACKS: Final = (
    *content.ATTACKS,
    *bodies.ATTACKS,
    *connections.ATTACKS,
    *floods.ATTACKS,
    *reading.ATTACKS,
)
