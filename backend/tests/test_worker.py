"""Tests that several API processes together keep to the limits of the settings, and have ports of their own."""

import pytest

from backend.main import run
from backend.worker import DIVIDED, part_of
from kit.errors import InvalidRequest
from kit.settings import Settings


@pytest.mark.parametrize("count", [1, 2, 3, 64])
def test_the_parts_add_up_to_the_limit(count: int) -> None:
    settings = Settings()
    part = part_of(settings, count)

    for name in DIVIDED:
        whole, each = getattr(settings, name), getattr(part, name)
        assert whole <= each * count < whole + count, name


def test_workers_beyond_the_highest_port_are_refused_before_they_start() -> None:
    with pytest.raises(InvalidRequest, match="worker 1 would have port 65536"):
        run(Settings(api_workers=2, api_ops_port=65535))
