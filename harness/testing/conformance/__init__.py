"""Suites that every implementation of a port must pass; one module per port."""
