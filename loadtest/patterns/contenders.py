"""Functions that group messages: Logsieve's, and those of drain3 in two configurations."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Final

from drain3 import TemplateMiner
from drain3.masking import MaskingInstruction
from drain3.template_miner_config import TemplateMinerConfig

from backend.patterns.groups import whole_words
from loadtest.patterns.study import LOGSIEVE
from logsieve_native import group_patterns

Group = Callable[[Sequence[str]], Sequence[Hashable]]
"""Groups messages in their order. Returns a label of the group for each message."""

_NUMBERS: Final = r"0x[0-9a-fA-F]+|\b(?=[0-9a-f-]*[0-9])[0-9a-f-]{8,}\b|-?[0-9]+(?:[._-][0-9]+)*"
"""Regular expression of numbers and hexadecimal ids, which the second configuration of drain3 replaces by `<*>`."""
_SIMILAR: Final = 0.5
"""Smallest share of equal tokens in the second configuration, as in native/src/patterns.rs. drain3's default is 0.4."""


def _logsieve(messages: Sequence[str]) -> Sequence[Hashable]:
    _templates, groups = group_patterns([whole_words(message) for message in messages])
    return groups


def _drain3(messages: Sequence[str], *, is_masked: bool) -> Sequence[Hashable]:
    config = TemplateMinerConfig()
    if is_masked:
        config.masking_instructions = [MaskingInstruction(_NUMBERS, "*")]
        config.mask_prefix, config.mask_suffix = "<", ">"
        config.drain_sim_th = _SIMILAR
    miner = TemplateMiner(config=config)
    # A group keeps its number when its template becomes wider.
    return [miner.add_log_message(message)["cluster_id"] for message in messages]


CONTENDERS: Final[Mapping[str, Group]] = MappingProxyType(
    {
        LOGSIEVE: _logsieve,
        "drain3": partial(_drain3, is_masked=False),
        "drain3, numbers masked": partial(_drain3, is_masked=True),
    }
)
