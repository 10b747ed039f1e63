"""Quality control of readings."""

from gaugeflow.qc.runner import run_rules

__all__ = ["run_rules"]
