"""Topics: where the talk shifts, what it is about, and what it comes back to."""
