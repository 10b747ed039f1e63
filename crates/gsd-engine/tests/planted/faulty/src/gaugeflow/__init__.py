"""Collects, checks and stores river gauge readings."""

__version__ = "0.6.2"
