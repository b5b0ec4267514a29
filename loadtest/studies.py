"""Lists all studies, in the order of the index. `logsieve loadtest` has a command for each."""

from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Final

from loadtest.study import Study

_NAMES: Final = (
    *("search", "explorer", "peers", "plans", "paging", "export", "tail", "ingest", "freshness", "fairness", "hostile"),
    *("faults", "outage", "alerts", "send", "soak", "patterns", "parts", "contention", "tune", "policy", "corpus"),
)
"""Names of the studies. The declaration of each is STUDY in `study.py` of the package with this name."""


def _declared(name: str) -> Study:
    study: Study = import_module(f"loadtest.{name}.study").STUDY
    return study


STUDIES: Final[Mapping[str, Study]] = MappingProxyType({name: _declared(name) for name in _NAMES})
