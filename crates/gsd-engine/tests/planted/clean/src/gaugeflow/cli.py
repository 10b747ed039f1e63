"""Command line: `gaugeflow ingest` and `gaugeflow check`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from gaugeflow.config import Config, ConfigError, load_config
from gaugeflow.parsers import parser_for
from gaugeflow.qc import run_rules
from gaugeflow.store import Store


def cmd_ingest(args: argparse.Namespace, config: Config, store: Store) -> int:
    total = 0
    for path in sorted(Path(args.folder).iterdir()):
        station = config.stations.get(path.stem.split("_")[0])
        parse = parser_for(path)
        if station is None or parse is None:
            print(f"skipped {path.name}", file=sys.stderr)
            continue
        total += store.insert_readings(parse(path.read_text(encoding="utf-8"), station))
    print(f"{total} new readings")
    return 0


def cmd_check(args: argparse.Namespace, config: Config, store: Store) -> int:
    for station in config.stations.values():
        flagged = list(run_rules(store.readings(station.id), station))
        store.set_flags(flagged)
        unusable = sum(not r.flag.usable for r in flagged)
        print(f"{station.id}: {len(flagged)} readings, {unusable} not usable")
    return 0


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="gaugeflow")
    parser.add_argument("--config", type=Path, default=Path("gaugeflow.toml"))
    commands = parser.add_subparsers(required=True)
    ingest = commands.add_parser("ingest", help="read logger files of a folder")
    ingest.add_argument("folder")
    ingest.set_defaults(run=cmd_ingest)
    check = commands.add_parser("check", help="run quality control")
    check.set_defaults(run=cmd_check)
    return parser


def main(argv: list[str] | None = None) -> int:
    args = build_parser().parse_args(argv)
    try:
        config = load_config(args.config)
    except (ConfigError, OSError) as problem:
        print(f"gaugeflow: {problem}", file=sys.stderr)
        return 1
    store = Store(config.database)
    try:
        for station in config.stations.values():
            store.upsert_station(station.id, station.name)
        return int(args.run(args, config, store))
    finally:
        store.close()


if __name__ == "__main__":
    raise SystemExit(main())
