-- Quality control writes its verdict beside the reading.
ALTER TABLE readings ADD COLUMN flag TEXT NOT NULL DEFAULT 'raw';

CREATE INDEX readings_by_flag ON readings (station, flag, taken_at);
