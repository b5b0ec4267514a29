"""Tests that several API processes together keep to the limits of the settings."""

import pytest

from backend.worker import DIVIDED, part_of
from kit.settings import Settings


@pytest.mark.parametrize("count", [1, 2, 3, 64])
def test_the_parts_add_up_to_the_limit(count: int) -> None:
    settings = Settings()
    part = part_of(settings, count)

    for name in DIVIDED:
        whole, each = getattr(settings, name), getattr(part, name)
        assert whole <= each * count < whole + count, name
