"""Writes the OpenAPI document to a file, for the generated TypeScript types: `python -m backend.openapi FILE`."""

import json
import sys
from pathlib import Path

from backend.app import create_app
from kit.clock import SystemClock
from kit.settings import Settings


def document() -> str:
    """Returns the document that the API serves, indented so that diffs are readable."""
    return json.dumps(create_app(Settings(), SystemClock()).openapi(), indent=2) + "\n"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(document())
