"""Small linear classifiers on the processor: the middle tier between rules and a model.

A classifier is a multinomial logistic regression over hashed features (Weinberger et al. 2009, *Feature Hashing for Large Scale
Multitask Learning*). A file ``weights/<code>.<name>.weights`` belongs to the language pack of that code: one line of JSON (labels,
buckets, scale, bias, what it was trained on and how well it did), a line break, then the weights as signed bytes, compressed with
zlib. It is written by the training scripts of the project's benchmarks and read here; nothing but the standard library is needed.
"""

from __future__ import annotations

import json
import math
import zlib
from array import array
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from harness.errors import LanguageError
from harness.language.phrases import is_han

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

FORMAT = 1
SUFFIX = ".weights"
LONGEST_TEXT = 600
"""Characters of a text that are looked at; what a longer one means is decided by then."""
MAX_BUCKETS = 1 << 20
MAX_WEIGHTS = 1 << 23
"""Buckets times labels of the largest file that is read: 8 MB in memory."""


class _Header(BaseModel):
    """The first line of a file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: int
    name: str
    language: str
    labels: Annotated[tuple[str, ...], Field(min_length=2, max_length=64)]
    buckets: Annotated[int, Field(ge=2, le=MAX_BUCKETS)]
    scale: Annotated[float, Field(gt=0, allow_inf_nan=False)]
    bias: tuple[float, ...]
    trained_on: str = ""
    licence: str = ""
    figures: dict[str, float] = {}


class LinearClassifier:
    """Tells to which of a few labels a set of features belongs.

    Attributes:
        name: what it decides (``bot_question``, ``shift``, ``emotion`` …).
        labels: the labels, in the order of their weights.
        trained_on: the data, its licence and the figures that the training script measured, for people.
        figures: those figures by name; ``threshold`` is the probability from which a label of two is told.
    """

    __slots__ = ("_bias", "_buckets", "_rows", "_scale", "figures", "labels", "name", "trained_on")

    def __init__(
        self,
        name: str,
        labels: tuple[str, ...],
        weights: array[int],
        *,
        scale: float,
        bias: tuple[float, ...],
        trained_on: str = "",
        figures: Mapping[str, float] | None = None,
    ) -> None:
        """Take weights in row order: those of bucket 0 for every label, those of bucket 1, …; each times ``scale``."""
        self.name, self.labels, self.trained_on = name, labels, trained_on
        self.figures = dict(figures or {})
        self._rows, self._scale, self._bias = weights, scale, bias
        self._buckets = len(weights) // len(labels)

    def probabilities(self, features: Iterable[str]) -> Mapping[str, float]:
        """Label -> probability, summing to 1. Each feature counts once; their sum is divided by the root of their number."""
        size, rows = len(self.labels), self._rows
        buckets = {bucket(feature, self._buckets) for feature in features}
        norm = self._scale / math.sqrt(len(buckets)) if buckets else 0.0
        scores = []
        for index in range(size):
            total = sum(rows[number * size + index] for number in buckets)
            scores.append(total * norm + self._bias[index])
        top = max(scores)
        weights = [math.exp(score - top) for score in scores]
        total_weight = sum(weights)
        return {label: weight / total_weight for label, weight in zip(self.labels, weights, strict=True)}


def bucket(feature: str, buckets: int) -> int:
    """The number of the weight row of a feature: CRC-32 of its UTF-8 bytes, modulo the number of rows."""
    return zlib.crc32(feature.encode("utf-8", "surrogatepass")) % buckets


def text_features(text: str, prefix: str = "") -> Iterator[str]:
    """Features of a text's wording, for either script: runs of 1 to 3 Han characters; words, pairs of words and runs of 3 to 5
    letters within a word; marks of punctuation. ``prefix`` keeps the features of several texts apart.
    """
    words: list[str] = []
    run: list[str] = []
    for char in f"{text[:LONGEST_TEXT].lower()} ":
        if char.isalnum() or char == "'":
            if is_han(char):
                if run:
                    words.append("".join(run))
                    run.clear()
                words.append(char)
            else:
                run.append(char)
            continue
        if run:
            words.append("".join(run))
            run.clear()
        if not char.isspace():
            yield f"{prefix}!{char}"
    previous: list[str] = ["^"]
    for word in [*words, "$"]:
        if word != "$":
            yield f"{prefix}{word}"
            if len(word) > 3:
                padded = f"<{word}>"
                for size in (3, 4, 5):
                    yield from (f"{prefix}~{padded[at : at + size]}" for at in range(len(padded) - size + 1))
        yield f"{prefix}{previous[-1]}_{word}"
        if len(previous) > 1 and is_han(word[0]):
            yield f"{prefix}{previous[-2]}_{previous[-1]}_{word}"
        previous.append(word)


def read_classifier(file: Path) -> LinearClassifier:
    """A classifier from its file.

    Raises:
        LanguageError: it cannot be read, is no such file, was written by a newer version, or is cut off.
    """

    def wrong(what: str, cause: Exception | None = None) -> LanguageError:
        error = LanguageError(f"{file}: {what}.", remedy="Reinstall the package, or train the classifier again.")
        error.__cause__ = cause
        return error

    try:
        first, _, body = file.read_bytes().partition(b"\n")
        raw: Any = json.loads(first)
        header = _Header.model_validate(raw)
    except OSError as error:
        raise wrong(f"it cannot be read: {error}", error) from error
    except (ValueError, RecursionError, ValidationError) as error:
        raise wrong(f"expected the header of a classifier in its first line, got {first[:60]!r}", error) from error
    if header.format != FORMAT:
        raise wrong(f"expected format {FORMAT}, got {header.format}; it is of another version")
    size = header.buckets * len(header.labels)
    if size > MAX_WEIGHTS or len(header.bias) != len(header.labels):
        raise wrong(f"{header.buckets} buckets, {len(header.labels)} labels and {len(header.bias)} biases do not fit")
    try:
        reader = zlib.decompressobj()
        data = reader.decompress(body, size + 1)
    except zlib.error as error:
        raise wrong(f"the weights cannot be unpacked: {error}", error) from error
    if len(data) != size:
        raise wrong(f"expected {size} weights, got {len(data)}; the file is cut off or has too much")
    about = f"{header.trained_on}{f' ({header.licence})' if header.licence else ''}"
    figures = ", ".join(f"{name} {value:g}" for name, value in header.figures.items())
    return LinearClassifier(
        header.name,
        header.labels,
        array("b", data),
        scale=header.scale,
        bias=header.bias,
        trained_on=f"{about}; {figures}" if figures else about,
        figures=header.figures,
    )


@lru_cache(maxsize=64)
def find_classifier(folder: Path, code: str, name: str) -> LinearClassifier | None:
    """The classifier ``name`` for the language ``code`` in a folder of weights; None when there is no such file."""
    file = folder / f"{code}.{name}{SUFFIX}"
    return read_classifier(file) if file.is_file() else None
