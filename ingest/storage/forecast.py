"""Predicts the next days that tenants lose, from the bytes that they stored per day lately."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from ingest.storage.plan import Days, Rules, plan, without_removed

FORECAST_DAYS: Final = 30
"""Days ahead that a forecast covers, today included."""

RECENT_DAYS: Final = 7
"""Number of complete UTC days before today. A forecast assumes the mean of these days for each day ahead."""


@dataclass(frozen=True, slots=True)
class Loss:
    """Days that a tenant is predicted to lose first: on the day `on`, those from `first_day` to `last_day`, inclusive.

    Days are counted since the Unix epoch; `size` is in bytes.
    """

    on: int
    first_day: int
    last_day: int
    size: int


@dataclass(frozen=True, slots=True)
class Forecast:
    """First loss of each tenant that loses days within FORECAST_DAYS, and the day on which the target is reached."""

    losses: Mapping[int, Loss]
    target_reached_on: int | None


def daily_bytes(days: Days, today: int) -> int:
    """Returns the bytes that a tenant stored per day lately; those of today if it has no earlier day."""
    earlier = [day for day in days if today - RECENT_DAYS <= day < today]
    if not earlier:
        return days.get(today, 0)
    return sum(days[day] for day in earlier) // (today - min(earlier))


def forecast(
    stored: Mapping[int, Days], retention_days: Mapping[int, int], budget: int, rules: Rules, today: int
) -> Forecast:
    """Returns the forecast for a volume whose logs may take `budget` bytes.

    Each tenant is assumed to store its daily bytes on each day ahead, and to lose days past its retention.
    """
    ahead = {tenant: dict(without_removed(days, today - retention_days[tenant])) for tenant, days in stored.items()}
    rates = {tenant: daily_bytes(days, today) for tenant, days in stored.items()}
    total = sum(sum(days.values()) for days in ahead.values())
    losses, reached = dict[int, Loss](), None
    for on in range(today, today + FORECAST_DAYS):
        if on > today:
            for tenant, days in ahead.items():
                days[on] = rates[tenant]
                total += rates[tenant] - days.pop(on - retention_days[tenant] - 1, 0)
        if total <= budget:
            continue
        reached = on if reached is None else reached
        decided = plan(ahead, budget, replace(rules, untouchable_from=rules.untouchable_from + on - today))
        for tenant, kept_from in decided.kept_from.items():
            lost = {day: ahead[tenant].pop(day) for day in [*ahead[tenant]] if day < kept_from}
            losses.setdefault(tenant, Loss(on, min(lost), max(lost), sum(lost.values())))
            total -= sum(lost.values())
    return Forecast(losses, reached)
