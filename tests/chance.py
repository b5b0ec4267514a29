"""Seed of a test run's random data, and number of repetitions of tests with random data.

LOGSIEVE_TEST_SEED sets the seed. LOGSIEVE_TEST_SOAK=1, which `make soak` sets, gives ten times as many repetitions.
"""

import os
from typing import Final

from hypothesis import core, settings

USUAL_SEED: Final = 1
SEED: Final = int(os.environ.get("LOGSIEVE_TEST_SEED", USUAL_SEED))
SOAKING: Final = os.environ.get("LOGSIEVE_TEST_SOAK") == "1"
_SHARE: Final = 10
"""Number of repetitions in `make soak` for each one in `make test`."""


def repetitions(soak: int) -> int:
    """Returns `soak` in `make soak`, otherwise a tenth of it. For repetitions that differ only in their random data."""
    return soak if SOAKING else soak // _SHARE


def load_hypothesis_profile() -> None:
    """Makes Hypothesis draw its examples by SEED: the same in each run with the usual seed, others with another seed.

    Examples have no time limit, because a busy machine would exceed it.
    """
    usual = settings.get_profile("ci")
    examples = usual.max_examples * (_SHARE if SOAKING else 1)
    settings.register_profile("seeded", usual, derandomize=SEED == USUAL_SEED, max_examples=examples)
    settings.load_profile("seeded")
    if SEED != USUAL_SEED:
        core.global_force_seed = SEED  # type: ignore[assignment]  # the type stubs infer None from its initial value
