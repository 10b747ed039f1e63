from pathlib import Path

import pytest

from gaugeflow.parsers import csvlog, parser_for, shef


def test_csv_is_converted_to_metres(station):
    (one,) = csvlog.parse("time;level\n2024-06-01T06:00;412,5\n", station)
    assert one.level_m == pytest.approx(4.125)


def test_csv_skips_empty_levels(station):
    assert list(csvlog.parse("time;level\n2024-06-01T06:00;\n", station)) == []


def test_shef_takes_only_its_station(station):
    text = ".A ELB-014 20240601 Z DH0600/HG 412\n.A SAA-003 20240601 Z DH0600/HG 3.1\n"
    assert [r.station for r in shef.parse(text, station)] == ["ELB-014"]


def test_parser_by_suffix():
    assert parser_for(Path("ELB-014_2024.CSV")) is csvlog.parse
    assert parser_for(Path("notes.txt")) is None
