"""What `understanding.py` measures: one module for each set of public data.

A module has ``measure(data: Path) -> Iterator[Row]``. It yields nothing when its data is not there. Files are found by pattern, so that
the development part and a held-out part of the same source are measured alike; training parts are never measured.
"""
