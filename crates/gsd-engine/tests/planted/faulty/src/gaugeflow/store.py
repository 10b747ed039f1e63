"""SQLite store: migrations, stations, readings."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

from gaugeflow.models import Flag, Reading

MIGRATIONS = Path(__file__).parent / "migrations"


class Store:
    """A connection with the newest schema."""

    def __init__(self, path: Path | str) -> None:
        self.db = sqlite3.connect(str(path))
        self.db.execute("PRAGMA foreign_keys = ON")
        self.migrate()

    def close(self) -> None:
        self.db.close()

    def migrate(self) -> int:
        """Applies what is missing, in order of the file names."""
        (version,) = self.db.execute("PRAGMA user_version").fetchone()
        for number, script in enumerate(sorted(MIGRATIONS.glob("*.sql")), start=1):
            if number <= version:
                continue
            self.db.executescript(script.read_text(encoding="utf-8"))
            self.db.execute(f"PRAGMA user_version = {number}")
            version = number
        self.db.commit()
        return int(version)

    def upsert_station(self, id_: str, name: str) -> None:
        self.db.execute(
            "INSERT INTO stations (id, name) VALUES (?, ?) "
            "ON CONFLICT (id) DO UPDATE SET name = excluded.name",
            (id_, name),
        )
        self.db.commit()

    def insert_readings(self, readings: Iterable[Reading]) -> int:
        """Inserts readings; one that is there already is left alone."""
        before = self.db.total_changes
        self.db.executemany(
            "INSERT OR IGNORE INTO readings (station, taken_at, level_m, flag) "
            "VALUES (?, ?, ?, ?)",
            [(r.station, r.taken_at.isoformat(), r.level_m, r.flag.value) for r in readings],
        )
        self.db.commit()
        return self.db.total_changes - before

    def set_flags(self, readings: Iterable[Reading]) -> None:
        self.db.executemany(
            "UPDATE readings SET flag = ? WHERE station = ? AND taken_at = ?",
            [(r.flag.value, r.station, r.taken_at.isoformat()) for r in readings],
        )
        self.db.commit()

    def readings(self, station: str, flag: Flag | None = None) -> list[Reading]:
        sql = "SELECT station, taken_at, level_m, flag FROM readings WHERE station = ?"
        args: list[str] = [station]
        if flag is not None:
            sql += " AND flag = ?"
            args.append(flag.value)
        rows = self.db.execute(sql + " ORDER BY taken_at", args)
        return [_reading(row) for row in rows]

    def latest_readings(self, station: str, count: int) -> list[Reading]:
        """The newest readings, newest first."""
        rows = self.db.execute(
            "SELECT station, taken_at, level_m, flag FROM readings "
            "WHERE station = ? ORDER BY taken_at DESC LIMIT ?",
            (station, count),
        )
        return [_reading(row) for row in rows]


def _reading(row: tuple[str, str, float, str]) -> Reading:
    station, taken_at, level_m, flag = row
    return Reading(station, datetime.fromisoformat(taken_at), level_m, Flag(flag))
