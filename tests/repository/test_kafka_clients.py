"""Tests that all Kafka clients get their brokers and security settings from kit/kafka.py."""

import re

from kit.folders import PACKAGES
from tests.repository.test_layout import tracked

OWNERS = {"kit/kafka.py", "kit/tests/test_kafka.py", "tests/repository/test_kafka_clients.py"}
KEY = re.compile(r"""["'](bootstrap\.servers|metadata\.broker\.list|security\.protocol|(ssl|sasl|https)\.[\w.]+)["']""")


def test_no_other_module_names_brokers_or_security() -> None:
    named = {
        str(path): found[1]
        for path in tracked()
        if path.suffix == ".py" and str(path) not in OWNERS
        if (found := KEY.search((PACKAGES / path).read_text()))
    }

    assert named == {}
