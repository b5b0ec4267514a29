"""Passwords of any characters reach Kafka as they are."""

import re

import pytest

from stack.broker.accounts import Accounts
from stack.tests.java_text import java_text


@pytest.mark.parametrize("password", ["plain", 'a"b', "a\\b", 'back\\\\slash"', "naïve ключ 🔑", "; user_x=y"])
def test_a_password_survives_both_formats(password: str) -> None:
    line = Accounts("logsieve", password, "0wn").clients_may_sign_in()

    assert line.isascii()
    found = re.search(r'user_logsieve="(.*)";$', line)
    assert found is not None
    assert _jaas(java_text(found[1])) == password


def test_clients_cannot_sign_in_to_the_controller() -> None:
    line = Accounts("logsieve", "s3cret", "0wn").only_the_broker_may_sign_in()

    assert "s3cret" not in line
    assert "user_logsieve" not in line


def _jaas(text: str) -> str:
    """Returns the text that java.io.StreamTokenizer reads from a quoted string without control characters."""
    return re.sub(r"\\(.)", r"\1", text)
