"""Tests that docs/sending.md shows what becomes of the record that it shows, and the Collector's real configuration."""

import json
import re
from typing import Any, Final

from backend.logs.records import document
from backend.tail.messages import record_of
from ingest.receiver.otlp_json import read_json
from kit.folders import PACKAGES
from kit.settings import Settings
from schema.coordinates import Coordinates
from schema.envelope import Envelope
from schema.otlp import decode_message

PAGE: Final = (PACKAGES / "docs/sending.md").read_text()
SNIPPET: Final = (PACKAGES / "frontend/src/start/snippets/collector.yaml").read_text()


def shown(name: str) -> Any:
    """Returns the JSON of the code block after the comment of this name."""
    (block,) = re.findall(rf"<!-- {name} -->\n```json\n(.*?)\n```", PAGE, re.DOTALL)
    return json.loads(block)


def test_the_shown_request_gives_the_shown_record() -> None:
    answer = shown("answer")
    value, _ = read_json(json.dumps(shown("request")).encode())
    envelope = Envelope(1, 0, "r30", Settings.model_fields["body_max_bytes"].default, received_at=0)

    columns = decode_message(value, envelope, Coordinates(0, 0, 0))

    assert len(columns.id) == 1
    assert document(record_of(columns, 0)) | {"id": answer["id"]} == answer


def test_the_shown_configuration_is_part_of_the_snippet() -> None:
    (block,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    assert block in SNIPPET
