"""Runs the rules over the readings of a station."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gaugeflow.config import StationConfig
from gaugeflow.models import Flag, Reading
from gaugeflow.qc.rules import RULES

ORDER = (Flag.RAW, Flag.GOOD, Flag.SUSPECT, Flag.BAD)


def worst(flags: Iterable[Flag]) -> Flag:
    return max(flags, key=ORDER.index)


def run_rules(readings: Iterable[Reading], station: StationConfig) -> Iterator[Reading]:
    """Gives every reading with its flag; a bad one is no base for the next."""
    before: Reading | None = None
    for reading in readings:
        flag = worst(rule(reading, before, station) for rule in RULES)
        flagged = reading.with_flag(flag)
        if flag is not Flag.BAD:
            before = flagged
        yield flagged
