"""Rules: each looks at a reading and the one before it."""

from __future__ import annotations

from collections.abc import Callable

from gaugeflow.config import StationConfig
from gaugeflow.models import Flag, Reading

Rule = Callable[[Reading, Reading | None, StationConfig], Flag]

MAX_STEP_M_PER_HOUR = 1.5


def in_range(now: Reading, before: Reading | None, station: StationConfig) -> Flag:
    if station.min_level_m <= now.level_m <= station.max_level_m:
        return Flag.GOOD
    return Flag.BAD


def no_jump(now: Reading, before: Reading | None, station: StationConfig) -> Flag:
    if before is None:
        return Flag.GOOD
    hours = (now.taken_at - before.taken_at).total_seconds() / 3600
    if hours <= 0:
        return Flag.BAD
    step = abs(now.level_m - before.level_m) / max(hours, 0.25)
    return Flag.SUSPECT if step > MAX_STEP_M_PER_HOUR else Flag.GOOD


RULES: tuple[Rule, ...] = (in_range, no_jump)
