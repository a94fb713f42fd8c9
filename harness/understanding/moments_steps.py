"""Some units of time on from a moment."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Literal

Precision = Literal["moment", "part", "day", "weekend", "week", "month", "season", "year"]
WEEKEND_DAYS = 2


def midnight(moment: datetime) -> datetime:
    """The beginning of the day."""
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


def months_on(moment: datetime, months: int) -> datetime:
    """The same day some months on; the last day of a shorter month."""
    index = moment.year * 12 + moment.month - 1 + months
    year, month = divmod(index, 12)
    for day in (moment.day, 30, 29, 28):
        try:
            return moment.replace(year=year, month=month + 1, day=day)
        except ValueError:
            if day == 28:  # every month has 28 days, so the year is out of range
                raise
    raise AssertionError  # pragma: no cover - the loop returns or raises


def shifted(now: datetime, unit: str, count: int) -> tuple[datetime, bool]:
    """The same moment ``count`` units on, and whether that is a time of day."""
    if unit in ("month", "year"):
        return months_on(now, count * (12 if unit == "year" else 1)), False
    delta = timedelta(**{f"{unit}s": count})
    return now + delta, unit in ("second", "minute", "hour")


def step(now: datetime, unit: str, steps: int) -> datetime:
    """The beginning of a unit, ``steps`` units on from the one that ``now`` is in; that one itself is ``now``."""
    if steps == 0:
        return now
    if unit == "weekend":
        return midnight(now) + timedelta(days=WEEKEND_DAYS * steps)
    if unit == "week":
        return midnight(now) + timedelta(days=7 * steps - now.weekday())
    if unit == "month":
        return months_on(midnight(now).replace(day=1), steps)
    if unit == "season":
        return months_on(midnight(now), 3 * steps)
    if unit == "year":
        return midnight(now).replace(year=now.year + steps, month=1, day=1)
    if unit == "day":
        return midnight(now) + timedelta(days=steps)
    return now + timedelta(**{f"{unit}s": steps})
