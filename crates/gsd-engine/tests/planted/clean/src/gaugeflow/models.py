"""The few records that the whole package speaks in."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import Enum


class Flag(str, Enum):
    """What quality control thinks of a reading."""

    RAW = "raw"
    GOOD = "good"
    SUSPECT = "suspect"
    BAD = "bad"

    @property
    def usable(self) -> bool:
        return self in (Flag.RAW, Flag.GOOD)


@dataclass(frozen=True)
class Reading:
    """One level, in metres above the gauge's zero."""

    station: str
    taken_at: datetime
    level_m: float
    flag: Flag = Flag.RAW

    def with_flag(self, flag: Flag) -> Reading:
        return Reading(self.station, self.taken_at, self.level_m, flag)
