"""Implementations of the ports: one module or package for each backend."""
