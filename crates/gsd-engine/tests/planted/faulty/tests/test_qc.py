from gaugeflow.models import Flag
from gaugeflow.qc import run_rules


def flags(readings, station):
    return [r.flag for r in run_rules(readings, station)]


def test_out_of_range_is_bad(series, station):
    assert flags(series(3.0, 12.0), station) == [Flag.GOOD, Flag.BAD]


def test_jump_is_suspect(series, station):
    assert flags(series(3.0, 4.0), station) == [Flag.GOOD, Flag.SUSPECT]


def test_bad_reading_is_no_base(series, station):
    assert flags(series(3.0, 12.0, 3.1), station)[-1] is Flag.GOOD
