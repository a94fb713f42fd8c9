"""Training of the small classifiers that language packs carry. Needs scikit-learn; see `linear.py`."""
