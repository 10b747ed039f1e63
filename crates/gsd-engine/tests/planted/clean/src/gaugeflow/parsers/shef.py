"""The `.A` lines of SHEF messages, as far as our loggers write them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime

from gaugeflow.config import StationConfig
from gaugeflow.models import Reading
from gaugeflow.units import to_metres

LINE = re.compile(r"^\.A (?P<id>\S+) (?P<day>\d{8}) Z DH(?P<time>\d{4})/HG (?P<level>[-\d.]+)$")


def parse(text: str, station: StationConfig) -> Iterator[Reading]:
    for line in text.splitlines():
        match = LINE.match(line.strip())
        if match is None or match["id"] != station.id:
            continue
        taken_at = datetime.strptime(match["day"] + match["time"], "%Y%m%d%H%M")
        yield Reading(station.id, taken_at, to_metres(float(match["level"]), station.unit))
