"""Tests that several receiver processes are refused before they start, if one of them would have no port."""

import pytest

from ingest.receiver.main import run
from kit.errors import InvalidRequest
from kit.settings import Settings


def test_workers_beyond_the_highest_port_are_refused() -> None:
    with pytest.raises(InvalidRequest, match="worker 1 would have port 65536"):
        run(Settings(receiver_workers=2, receiver_ops_port=65535))
