"""All settings with their values, for `logsieve settings` and docs/settings.md."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import unquote

from pydantic import SecretStr
from pydantic_core import PydanticUndefined

from kit.folders import PACKAGES
from kit.settings import Settings

MASK: Final = "********"

_PASSWORD: Final = re.compile(r"(://[^:/@\s]*:)\S*@")
"""Password in a URL, up to the last @ of the text, because a password may have one."""

_PARAMETER: Final = re.compile(r"(?P<before>[?&](?P<name>[^=&\s]*)=)[^&\s]*")
"""Parameter of a URL's query."""

_SECRET: Final = re.compile(r"passw|pwd|secret|token|api.?key", re.IGNORECASE)
"""Part of the name of a parameter that holds a secret. `sslkey` names a file and holds none."""


@dataclass(frozen=True, slots=True)
class SettingLine:
    """One setting; values as text, secrets masked, empty for none."""

    variable: str
    default: str
    value: str
    description: str


def setting_lines(settings: Settings) -> list[SettingLine]:
    """Returns every setting in the order of the class."""
    return [
        SettingLine(
            variable=f"LOGSIEVE_{name.upper()}",
            default=_text(None if field.default is PydanticUndefined else field.default),
            value=_text(getattr(settings, name)),
            description=field.description or "",
        )
        for name, field in Settings.model_fields.items()
    ]


def render_markdown(lines: list[SettingLine]) -> str:
    """Returns the text of docs/settings.md; defaults only, so that it is the same on every machine."""
    head = (
        "# Settings\n"
        "Set a setting in one of three places; the first that has a value wins:\n\n"
        "1. the environment variable of its name;\n"
        "2. a file `logsieve_<name>`, in lower case, in the folder that `LOGSIEVE_SECRETS_DIR` names;\n"
        "3. a key of its name in lower case, without `LOGSIEVE_`, in the TOML file that `LOGSIEVE_CONFIG` names.\n\n"
        "`logsieve settings` shows the current values. `logsieve settings --markdown` writes this page from\n"
        "the files `kit/*settings.py`; a test compares them.\n\n"
        "| variable | default | what it is |\n| --- | --- | --- |\n"
    )
    rows = [f"| `{line.variable}` | {_code(line.default)} | {_cell(line.description)} |\n" for line in lines]
    return head + "".join(rows)


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, SecretStr):
        return MASK
    if isinstance(value, Path):
        return str(value.relative_to(PACKAGES)) if value.is_relative_to(PACKAGES) else str(value)
    if isinstance(value, bool):
        return str(value).lower()
    # Parameters come first, because the password in one of them may have an @, too.
    return _PASSWORD.sub(rf"\1{MASK}@", _PARAMETER.sub(_parameter, str(value)))


def _parameter(found: re.Match[str]) -> str:
    return found["before"] + MASK if _SECRET.search(unquote(found["name"])) else found[0]


def _code(text: str) -> str:
    return f"`{_cell(text)}`" if text else ""


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
