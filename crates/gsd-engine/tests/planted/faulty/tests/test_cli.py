from pathlib import Path

from gaugeflow.cli import main

CONFIG = """
database = "cli.db"

[stations.ELB-014]
unit = "cm"
max_level = 940
"""


def write(tmp_path: Path) -> str:
    path = tmp_path / "gaugeflow.toml"
    path.write_text(CONFIG, encoding="utf-8")
    return str(path)


def test_ingest_and_check(tmp_path, capsys):
    config = write(tmp_path)
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "ELB-014_1.csv").write_text("time;level\n2024-06-01T06:00;412\n", encoding="utf-8")
    assert main(["--config", config, "ingest", str(folder)]) == 0
    assert main(["--config", config, "check"]) == 0
    assert "1 readings, 0 not usable" in capsys.readouterr().out


def test_missing_config_exits_with_1(tmp_path):
    assert main(["--config", str(tmp_path / "none.toml"), "check"]) == 1
