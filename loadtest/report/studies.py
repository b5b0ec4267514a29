"""Every study there is, once: each `logsieve loadtest` command that measures."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final

from loadtest.corpus.findings import CorpusFindings
from loadtest.export.findings import ExportFindings
from loadtest.fairness.findings import FairnessFindings
from loadtest.faults.findings import FaultFindings
from loadtest.freshness.findings import FreshnessFindings
from loadtest.hostile.findings import HostileFindings
from loadtest.ingest.findings import IngestFindings
from loadtest.outage.findings import OutageFindings
from loadtest.paging.findings import PagingFindings
from loadtest.parts.findings import PartsFindings
from loadtest.plans.findings import PlansFindings
from loadtest.policy.findings import PolicyFindings
from loadtest.report.findings import Findings
from loadtest.search.findings import SearchFindings
from loadtest.send.findings import SendFindings
from loadtest.tail.findings import TailFindings
from loadtest.tune.findings import TuneFindings

_LOADTEST: Final = Path(__file__).parent.parent


@dataclass(frozen=True, slots=True)
class Study:
    """`page` is its file in docs/benchmarks.

    `method` is how it is measured, as Markdown, for a page that is made of results alone. Without, the command itself
    writes the page, from more than its result keeps.
    """

    name: str
    title: str
    findings: type[Findings]
    page: str
    method: Path | None


def _of_result(name: str, title: str, findings: type[Findings]) -> Study:
    return Study(name, title, findings, f"{name}.md", _LOADTEST / name / "method.md")


STUDIES: Final[Mapping[str, Study]] = MappingProxyType(
    {
        study.name: study
        for study in (
            Study("search", "How fast a page of search results is", SearchFindings, "search.md", None),
            Study("plans", "Which plan finds a page", PlansFindings, "plans.md", None),
            _of_result("paging", "Reading all pages while records arrive", PagingFindings),
            _of_result("export", "Memory of exports", ExportFindings),
            _of_result("tail", "Live tail", TailFindings),
            _of_result("ingest", "The way in: bytes per CPU second", IngestFindings),
            _of_result("freshness", "From acknowledged to searchable", FreshnessFindings),
            _of_result("fairness", "A tenant beside one that floods", FairnessFindings),
            _of_result("hostile", "Victims beside attacks", HostileFindings),
            _of_result("faults", "Nothing lost, nothing doubled", FaultFindings),
            _of_result("outage", "A service that stays down", OutageFindings),
            _of_result("send", "Sending at fixed rates", SendFindings),
            Study("parts", "Planning time and the number of parts", PartsFindings, "parts.md", None),
            Study("tune", "Which index over the words of the body", TuneFindings, "tune.md", None),
            Study("policy", "Looking attribute names up in a policy", PolicyFindings, "attribute-policy.md", None),
            Study("corpus", "The corpus", CorpusFindings, "corpus.md", None),
        )
    }
)
