"""Logger files with a header line `time;level`."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from datetime import datetime

from gaugeflow.config import StationConfig
from gaugeflow.models import Reading
from gaugeflow.units import to_metres


def parse(text: str, station: StationConfig) -> Iterator[Reading]:
    for row in csv.DictReader(text.splitlines(), delimiter=";"):
        level = (row.get("level") or "").replace(",", ".")
        if not level:
            continue
        yield Reading(
            station.id,
            datetime.fromisoformat(row["time"]),
            to_metres(float(level), station.unit),
        )
