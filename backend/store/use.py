"""Measures how many statements of each tenant have been running lately, and finds tenants with many more than
others."""

from collections import OrderedDict
from dataclasses import dataclass
from typing import Final

from kit.clock import Clock

HALF_LIFE_SECONDS: Final = 2.0
"""Half-life of the mean, in seconds: statements that ran this long ago count half."""

REMEMBERED_SECONDS: Final = 10.0
"""Seconds after its last statement during which a tenant still counts as active."""

HEAVY: Final = 0.5
"""Smallest mean of running statements at which a tenant is heavy."""

HEAVY_RATIO: Final = 2.0
"""Smallest ratio of a heavy tenant's mean to the average of other tenants.

It is a ratio, because other load on the machine makes the statements of all tenants longer.
"""


@dataclass(slots=True)
class _Mean:
    """An exponentially weighted mean of `running`, as of the monotonic second `at`."""

    at: float
    running: int = 0
    value: float = 0.0

    def until(self, now: float) -> float:
        """Advances the mean to `now` and returns it."""
        kept = 0.5 ** ((now - self.at) / HALF_LIFE_SECONDS)
        self.value = self.value * kept + self.running * (1 - kept)
        self.at = now
        return self.value


class RecentUse:
    """Counts running statements by tenant. Use it from one event loop only."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._means: dict[int, _Mean] = {}
        self._idle: OrderedDict[int, float] = OrderedDict()
        """Tenants without a running statement, each with the second at which its last one ended, longest idle first."""
        self._all = _Mean(clock.monotonic())

    def started(self, tenant_id: int) -> None:
        """Counts a statement that begins now."""
        self._idle.pop(tenant_id, None)
        self._count(tenant_id, 1)

    def ended(self, tenant_id: int) -> None:
        """Counts a statement that ends now."""
        if self._count(tenant_id, -1) == 0:
            self._idle[tenant_id] = self._clock.monotonic()

    def has_others(self, tenant_id: int) -> bool:
        """Returns true when another tenant has a statement running, or had one within REMEMBERED_SECONDS."""
        self._forget()
        return len(self._means) > (tenant_id in self._means)

    def is_heavy(self, tenant_id: int) -> bool:
        """Returns true if the tenant's mean is at least HEAVY, and HEAVY_RATIO times the average of other active
        tenants. False without other active tenants."""
        # First, because it forgets idle tenants, which may include this one.
        has_others = self.has_others(tenant_id)
        own = self._means.get(tenant_id)
        if own is None or not has_others:
            return False
        now = self._clock.monotonic()
        mean = own.until(now)
        others = (self._all.until(now) - mean) / (len(self._means) - 1)
        return mean >= max(HEAVY, HEAVY_RATIO * others)

    def _count(self, tenant_id: int, by: int) -> int:
        now = self._clock.monotonic()
        own = self._means.setdefault(tenant_id, _Mean(now))
        for each in (own, self._all):
            each.until(now)
            each.running += by
        return own.running

    def _forget(self) -> None:
        since = self._clock.monotonic() - REMEMBERED_SECONDS
        while self._idle and next(iter(self._idle.values())) < since:
            tenant_id, _ = self._idle.popitem(last=False)
            del self._means[tenant_id]
