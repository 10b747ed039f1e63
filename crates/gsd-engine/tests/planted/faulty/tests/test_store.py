from gaugeflow.models import Flag
from gaugeflow.store import Store


def test_insert_is_idempotent(store, series):
    readings = series(3.0, 3.1)
    assert store.insert_readings(readings) == 2
    assert store.insert_readings(readings) == 0


def test_flags_are_kept(store, series):
    readings = series(3.0, 3.1)
    store.insert_readings(readings)
    store.set_flags([readings[1].with_flag(Flag.BAD)])
    assert len(store.readings("ELB-014", Flag.BAD)) == 1


def test_latest_is_newest_first(store, series):
    store.insert_readings(series(3.0, 3.1, 3.2))
    assert [r.level_m for r in store.latest_readings("ELB-014", 2)] == [3.2, 3.1]


def test_migrate_twice(tmp_path):
    Store(tmp_path / "a.db").close()
    store = Store(tmp_path / "a.db")
    assert store.migrate() >= 2
