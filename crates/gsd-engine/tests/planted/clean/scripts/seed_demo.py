"""Fills a database with a flood wave, to look at."""

from __future__ import annotations

import math
import sys
from datetime import datetime, timedelta

from gaugeflow.models import Reading
from gaugeflow.store import Store

START = datetime(2024, 6, 1)


def main(path: str) -> None:
    store = Store(path)
    store.upsert_station("ELB-014", "Elbe at Niederau")
    wave = [
        Reading("ELB-014", START + timedelta(minutes=15 * i), 3 + 3 * math.sin(i / 60) ** 2)
        for i in range(400)
    ]
    print(f"{store.insert_readings(wave)} readings in {path}")
    store.close()


if __name__ == "__main__":
    main(sys.argv[1])
