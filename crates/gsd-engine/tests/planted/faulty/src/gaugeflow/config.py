"""Reads the TOML file that describes the stations."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gaugeflow.units import FACTORS, to_metres


class ConfigError(Exception):
    """The configuration cannot be used; the message names the key."""


@dataclass(frozen=True)
class StationConfig:
    id: str
    name: str
    unit: str
    min_level_m: float
    max_level_m: float


@dataclass(frozen=True)
class Config:
    database: Path
    stations: dict[str, StationConfig]


def _station(id_: str, raw: dict[str, Any]) -> StationConfig:
    unit = raw.get("unit", "m")
    if unit not in FACTORS:
        raise ConfigError(f"stations.{id_}.unit: unknown unit {unit!r}")
    low = to_metres(float(raw.get("min_level", 0)), unit)
    high = to_metres(float(raw["max_level"]), unit)
    if low >= high:
        raise ConfigError(f"stations.{id_}.min_level: not below max_level")
    return StationConfig(id_, raw.get("name", id_), unit, low, high)


def load_config(path: Path) -> Config:
    with path.open("rb") as handle:
        raw = tomllib.load(handle)
    try:
        stations = {k: _station(k, v) for k, v in raw["stations"].items()}
    except KeyError as missing:
        raise ConfigError(f"missing key {missing}") from None
    database = Path(raw.get("database", "gaugeflow.db"))
    return Config(path.parent / database, stations)
