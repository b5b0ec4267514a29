"""LOGSIEVE_HOME/keys.json: the demo tenant's keys, for people, scripts and the browser on this machine."""

from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from kit.errors import Unavailable
from kit.settings import Settings


class DemoKeys(BaseModel):
    """Content of `keys.json`. Scripts read it, so its fields do not change."""

    model_config = ConfigDict(frozen=True)

    tenant: str
    ingest_key: str
    query_key: str


def demo_keys_file(settings: Settings) -> Path:
    return settings.home / "keys.json"


def read_demo_keys(settings: Settings) -> DemoKeys | None:
    """Returns the demo keys; None before the first `up`. Raises Unavailable if the file has another form."""
    file = demo_keys_file(settings)
    try:
        return DemoKeys.model_validate_json(file.read_bytes())
    except FileNotFoundError:
        return None
    except ValidationError as error:
        raise Unavailable(
            f"{file} does not hold demo keys: remove the file, and `logsieve up` writes a new one"
        ) from error
