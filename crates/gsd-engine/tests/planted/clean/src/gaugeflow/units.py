"""Units that loggers write; everything inside is in metres."""

from __future__ import annotations

FACTORS: dict[str, float] = {
    "m": 1.0,
    "cm": 0.01,
    "mm": 0.001,
    "ft": 0.3048,
}


class UnknownUnit(ValueError):
    """A unit that no logger of ours writes."""


def to_metres(value: float, unit: str) -> float:
    try:
        return value * FACTORS[unit]
    except KeyError:
        raise UnknownUnit(f"unknown unit {unit!r}") from None


def from_metres(value: float, unit: str) -> float:
    return value / to_metres(1.0, unit)
