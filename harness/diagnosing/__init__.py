"""Diagnosis: reads a stored session and names the layer at fault when a character forgets, repeats or mixes things up.

Nothing is changed, no model is asked.
"""

from harness.diagnosing.diagnosis import diagnose
from harness.diagnosing.report import Diagnosis, Fault, Kind

__all__ = ["Diagnosis", "Fault", "Kind", "diagnose"]
