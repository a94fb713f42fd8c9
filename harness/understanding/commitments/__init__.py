"""Promises, and the task at hand."""
