"""LOGSIEVE_HOME/keys.json: the demo tenant's keys, for people and scripts on this machine."""

from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from kit.errors import Internal
from kit.settings import Settings
from stack.files import write_atomically


class DemoKeys(BaseModel):
    """The file's content; the format is part of the contract."""

    model_config = ConfigDict(frozen=True)

    tenant: str
    ingest_key: str
    query_key: str


def keys_file(settings: Settings) -> Path:
    return settings.home / "keys.json"


def read_keys(settings: Settings) -> DemoKeys | None:
    """The demo keys, or None before the first `up`. Raises Internal for a file that is not one of ours."""
    try:
        return DemoKeys.model_validate_json(keys_file(settings).read_bytes())
    except FileNotFoundError:
        return None
    except ValidationError as error:
        raise Internal(f"{keys_file(settings)} does not hold demo keys: remove it, and `up` makes new ones") from error


def write_keys(settings: Settings, keys: DemoKeys) -> None:
    write_atomically(keys_file(settings), keys.model_dump_json(indent=2) + "\n", mode=0o600)
