"""Grading transcripts: by rules first, then by embeddings and a model where they are wanted. Every verdict has evidence."""

from harness.blindtest.grading.grade import grade
from harness.blindtest.grading.many import grade_all
from harness.blindtest.grading.material import Material

__all__ = ["Material", "grade", "grade_all"]
