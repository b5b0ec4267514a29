"""Numbers of the lanes whose tables single test modules create in the engine of all modules."""

from enum import IntEnum, unique


@unique
class Lane(IntEnum):
    """A lane of one module. Lanes 0 and 1 have the records of `make_lanes` or of the module that runs."""

    without_minute_counts = 7
    many_groups = 40
    cost_tokenbf = 50
    cost_text = 51
    pattern_samples = 59
    precision = 60
