"""Train, measure by cross-validation, quantise and write a linear classifier (needs ``pip install scikit-learn``).

Only data whose licence allows it may be used (MIT, Apache-2.0); what was used stands in the file's header. Cross-validation keeps the
items of one group (a dialogue, a template) in one fold, so that the figure is about texts that were not seen.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix, diags
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

from harness.language.classifier import FORMAT, SUFFIX, LinearClassifier, bucket, read_classifier

WEIGHTS = Path(__file__).parents[3] / "harness" / "language" / "weights"


@dataclass(frozen=True, slots=True)
class Example:
    """One labelled item. ``group``: items of one group never stand on both sides of a fold."""

    features: tuple[str, ...]
    label: str
    group: str


def matrix(examples: Sequence[Example], buckets: int) -> csr_matrix:
    """One row for each example: hashed features, each once, divided by the root of their number."""
    indices: list[int] = []
    values: list[float] = []
    ends = [0]
    for example in examples:
        found = sorted({bucket(feature, buckets) for feature in example.features})
        indices += found
        values += [1 / np.sqrt(len(found))] * len(found) if found else []
        ends.append(len(indices))
    return csr_matrix((values, indices, ends), shape=(len(examples), buckets))


def fit(
    examples: Sequence[Example], *, buckets: int, strength: float, balanced: bool = False
) -> tuple[tuple[str, ...], np.ndarray, np.ndarray]:
    """(labels, weights of shape (buckets, labels), bias). ``strength``: inverse of the L2 penalty."""
    model = LogisticRegression(C=strength, max_iter=400, class_weight="balanced" if balanced else None)
    model.fit(matrix(examples, buckets), [example.label for example in examples])
    weights, bias = model.coef_, model.intercept_
    if len(model.classes_) == 2:  # scikit-learn keeps one row for two classes
        weights, bias = np.vstack([-weights[0] / 2, weights[0] / 2]), np.array([-bias[0] / 2, bias[0] / 2])
    return tuple(str(label) for label in model.classes_), weights.T, bias


Fitted = tuple[tuple[str, ...], np.ndarray, np.ndarray]


def fit_blended(
    examples: Sequence[Example], *, buckets: int, strength: float, ratio_strength: float, share: float
) -> Fitted:
    """As :func:`fit`, blended with a classifier over features weighted by naive Bayes (better on short texts).

    Both are linear, so their scores add up to one set of weights. Source: Wang and Manning 2012, *Baselines and Bigrams*: each
    feature is multiplied by its log-count ratio for the label before a logistic regression, one for each label.

    Args:
        ratio_strength: inverse penalty of the second one. ``share``: its share in the scores, 0 to 1.
    """
    rows = matrix(examples, buckets)
    plain = LogisticRegression(C=strength, max_iter=60).fit(rows, [example.label for example in examples])
    labels, weights, bias = tuple(str(label) for label in plain.classes_), plain.coef_.T.copy(), plain.intercept_.copy()
    counts = rows.copy()
    counts.data[:] = 1
    named = np.array([example.label for example in examples])
    for column, label in enumerate(labels):
        has = named == label
        positive = 1 + np.asarray(counts[has].sum(axis=0)).ravel()
        negative = 1 + np.asarray(counts[~has].sum(axis=0)).ravel()
        ratio = np.log((positive / positive.sum()) / (negative / negative.sum()))
        model = LogisticRegression(C=ratio_strength, max_iter=60).fit(rows @ diags(ratio), has)
        weights[:, column] = (1 - share) * weights[:, column] + share * ratio * model.coef_[0]
        bias[column] = (1 - share) * bias[column] + share * model.intercept_[0]
    return labels, weights, bias


def quantised(weights: np.ndarray) -> tuple[np.ndarray, float]:
    """Weights as signed bytes and the factor that turns them back."""
    scale = float(np.abs(weights).max()) / 127 or 1.0
    return np.clip(np.round(weights / scale), -127, 127).astype(np.int8), scale


def classifier(
    name: str, examples: Sequence[Example], *, fitter: Callable[..., Fitted] = fit, **options: Any
) -> LinearClassifier:
    """A classifier as it would be read back from its file. ``fitter``: :func:`fit` or :func:`fit_blended`."""
    from array import array

    labels, weights, bias = fitter(examples, **options)
    small, scale = quantised(weights)
    return LinearClassifier(
        name, labels, array("b", small.tobytes()), scale=scale, bias=tuple(float(value) for value in bias)
    )


def out_of_fold(name: str, examples: Sequence[Example], *, folds: int = 5, **options: Any) -> list[dict[str, float]]:
    """For each example the probabilities given by a classifier that saw no example of its group."""
    found: list[dict[str, float]] = [{} for _ in examples]
    groups = [example.group for example in examples]
    for train, test in GroupKFold(n_splits=folds).split(np.zeros(len(examples)), groups=groups):
        made = classifier(name, [examples[index] for index in train], **options)
        for index in test:
            found[index] = dict(made.probabilities(examples[index].features))
    return found


def write(
    name: str,
    language: str,
    examples: Sequence[Example],
    *,
    trained_on: str,
    licence: str,
    figures: dict[str, float],
    folder: Path = WEIGHTS,
    fitter: Callable[..., Fitted] = fit,
    **options: Any,
) -> Path:
    """Train on everything and write the file; the same data gives the same bytes."""
    labels, weights, bias = fitter(examples, **options)
    small, scale = quantised(weights)
    header = {
        "format": FORMAT,
        "name": name,
        "language": language,
        "labels": list(labels),
        "buckets": int(small.shape[0]),
        "scale": scale,
        "bias": [float(value) for value in bias],
        "trained_on": trained_on,
        "licence": licence,
        "figures": figures,
    }
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{language}.{name}{SUFFIX}"
    file.write_bytes(json.dumps(header, ensure_ascii=False).encode() + b"\n" + zlib.compress(small.tobytes(), 9))
    read_classifier(file)
    return file


Features = Callable[[str], Sequence[str]]
