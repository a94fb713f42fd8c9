"""Redaction: secrets leave a text before it is stored, logged or sent, and a named reference stands in their place."""

from harness.redacting.redactor import KINDS, Cues, Found, Named, Policy, Redacted, Redactor

__all__ = ["KINDS", "Cues", "Found", "Named", "Policy", "Redacted", "Redactor"]
