"""Blind tests: scripted interrogation of characters, graded and compared with honest statistics.

The pieces: suites of scripts (:mod:`~harness.blindtest.suite`), witnesses that answer (:mod:`~harness.blindtest.witness`), trials and their
transcripts, graders, results. :class:`harness.app_blindtest.Bench` puts them together with the settings at hand.
"""

from harness.blindtest.loading import find_suites, load_suite, parse_suite, shipped_suites
from harness.blindtest.suite import Suite
from harness.blindtest.transcript import Said, Sight, Transcript, Trial, Verdict
from harness.blindtest.witness import Conversation, Unsupported, Witness

__all__ = [
    "Conversation",
    "Said",
    "Sight",
    "Suite",
    "Transcript",
    "Trial",
    "Unsupported",
    "Verdict",
    "Witness",
    "find_suites",
    "load_suite",
    "parse_suite",
    "shipped_suites",
]
