from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pytest

from gaugeflow.config import StationConfig
from gaugeflow.models import Reading
from gaugeflow.store import Store

START = datetime(2024, 6, 1, 6, 0)


@pytest.fixture
def station() -> StationConfig:
    return StationConfig("ELB-014", "Elbe at Niederau", "cm", 0.0, 9.4)


@pytest.fixture
def store(tmp_path: Path, station: StationConfig) -> Store:
    store = Store(tmp_path / "test.db")
    store.upsert_station(station.id, station.name)
    return store


@pytest.fixture
def series():
    def make(*levels: float, minutes: int = 15) -> list[Reading]:
        return [
            Reading("ELB-014", START + timedelta(minutes=minutes * i), level)
            for i, level in enumerate(levels)
        ]

    return make
