"""Parsers of logger files; each takes the text and gives readings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from gaugeflow.config import StationConfig
from gaugeflow.models import Reading
from gaugeflow.parsers import csvlog, shef

Parser = Callable[[str, StationConfig], Iterator[Reading]]

PARSERS: dict[str, Parser] = {
    ".csv": csvlog.parse,
    ".shef": shef.parse,
}


def parser_for(path: Path) -> Parser | None:
    return PARSERS.get(path.suffix.lower())
