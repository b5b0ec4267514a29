"""Lists all studies, in the order of the index. `logsieve loadtest` has a command for each."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from loadtest.alerts.study import STUDY as ALERTS
from loadtest.contention.study import STUDY as CONTENTION
from loadtest.corpus.study import STUDY as CORPUS
from loadtest.explorer.study import STUDY as EXPLORER
from loadtest.export.study import STUDY as EXPORT
from loadtest.fairness.study import STUDY as FAIRNESS
from loadtest.faults.study import STUDY as FAULTS
from loadtest.freshness.study import STUDY as FRESHNESS
from loadtest.hostile.study import STUDY as HOSTILE
from loadtest.ingest.study import STUDY as INGEST
from loadtest.outage.study import STUDY as OUTAGE
from loadtest.paging.study import STUDY as PAGING
from loadtest.parts.study import STUDY as PARTS
from loadtest.patterns.study import STUDY as PATTERNS
from loadtest.peers.study import STUDY as PEERS
from loadtest.plans.study import STUDY as PLANS
from loadtest.policy.study import STUDY as POLICY
from loadtest.search.study import STUDY as SEARCH
from loadtest.send.study import STUDY as SEND
from loadtest.soak.study import STUDY as SOAK
from loadtest.study import Study
from loadtest.tail.study import STUDY as TAIL
from loadtest.tune.study import STUDY as TUNE

STUDIES: Final[Mapping[str, Study]] = MappingProxyType(
    {
        study.name: study
        for study in (
            *(
                SEARCH,
                EXPLORER,
                PEERS,
                PLANS,
                PAGING,
                EXPORT,
                TAIL,
                INGEST,
                FRESHNESS,
                FAIRNESS,
                HOSTILE,
                FAULTS,
                OUTAGE,
                ALERTS,
                SEND,
                SOAK,
            ),
            *(PATTERNS, PARTS, CONTENTION, TUNE, POLICY, CORPUS),
        )
    }
)
