"""The seed of a test run's random data, and how often tests with random data repeat.

LOGSIEVE_TEST_SEED draws other data. LOGSIEVE_TEST_SOAK=1, which `make soak` sets, repeats ten times as often.
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
    """Returns `soak` in `make soak`, a tenth of it otherwise. For repetitions that only add chance."""
    return soak if SOAKING else soak // _SHARE


def load_hypothesis_profile() -> None:
    """Makes Hypothesis draw the same examples in every run with the usual seed, and others with another seed.

    Examples have no time limit, because a busy machine would miss it.
    """
    usual = settings.get_profile("ci")
    examples = usual.max_examples * (_SHARE if SOAKING else 1)
    settings.register_profile("seeded", usual, derandomize=SEED == USUAL_SEED, max_examples=examples)
    settings.load_profile("seeded")
    if SEED != USUAL_SEED:
        core.global_force_seed = SEED  # type: ignore[assignment]  # None until somebody sets it
