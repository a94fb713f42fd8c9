"""Entities and references: who and what is meant."""
