"""Emotion: what words show, and what they do to a mood."""
