-- Stations and their readings.
CREATE TABLE stations (
    id          TEXT PRIMARY KEY,
    name        TEXT NOT NULL,
    alarm_level REAL
);

CREATE TABLE readings (
    station  TEXT NOT NULL REFERENCES stations (id),
    taken_at TEXT NOT NULL,
    level_m  REAL NOT NULL,
    PRIMARY KEY (station, taken_at)
);
