"""Train ``zh.persona_relation``: how a text stands to its speaker's place, star sign and gender.

`python -m tests.benchmarks.training.persona_relation --data DIR`, where DIR holds ``kvpi/`` (Apache-2.0). Sentences written for it are added
(``_ordinary_zh.py``), because replies of a character name places that are not theirs more often than the messages of KvPI do.
"""

from __future__ import annotations

import argparse
import warnings
from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.model_selection import GroupKFold

from harness.language import LanguagePack, load_packs
from harness.language.classifier import LinearClassifier
from harness.state import Persona, PersonaFact
from harness.understanding.checks.agreement import CLASSIFIER, Stand, judge_slots
from harness.understanding.checks.relation_features import relation_features
from harness.understanding.checks.slots import find_slots, read_fact
from harness.understanding.text import normalize
from tests.benchmarks.measures.kvpi import Item, digest, items
from tests.benchmarks.measures.rows import files
from tests.benchmarks.training._ordinary_zh import ordinary
from tests.benchmarks.training.linear import Example, fit_blended, quantised, write

OPTIONS: dict[str, Any] = {"strength": 10.0, "ratio_strength": 5.0, "share": 0.6}
BUCKETS = 1 << 17
FOLDS = 10
EACH = 4
"""How often each written template is filled."""


def example(item: Item, pack: LanguagePack) -> Example:
    """The features of an item, made as the engine makes them; none where it holds no word to judge."""
    held = [one for fact in item.persona.as_facts() if (one := read_fact(fact, pack)) is not None]
    text = normalize(item.text)
    slots = find_slots(text, held, pack)
    judged = [(one.stand, one.confidence, one.elsewhere) for one in judge_slots(text, slots, pack)]
    return Example(relation_features(text, slots, judged, pack) if slots else (), item.stand.value, item.group)


def written(pack: LanguagePack) -> list[Example]:
    """Examples of the written sentences, but for those whose place happens to fit the home."""
    made = []
    for text, label, profile in ordinary(EACH):
        facts = tuple(PersonaFact(attribute=name, value=value) for name, value in profile.items())
        persona = Persona(name="小柯", language="zh", facts=facts)
        held = [one for fact in persona.as_facts() if (one := read_fact(fact, pack)) is not None]
        if not any(slot.agrees for slot in find_slots(text, held, pack)):
            made.append(example(Item(persona, text, Stand(label), text), pack))
    return made


def trained(examples: Sequence[Example], extra: Sequence[Example]) -> LinearClassifier:
    """A classifier of both, as it would be read back from its file."""
    labels, weights, bias = fit_blended([*examples, *extra], buckets=BUCKETS, **OPTIONS)
    small, scale = quantised(weights)
    return LinearClassifier(
        CLASSIFIER, labels, array("b", small.tobytes()), scale=scale, bias=tuple(float(one) for one in bias)
    )


def by_fold(found: Sequence[Item], pack: LanguagePack) -> list[tuple[LinearClassifier, list[int]]]:
    """For each fold a classifier that saw none of its responses, and the numbers of its items."""
    warnings.filterwarnings("ignore")
    made, extra = [example(item, pack) for item in found], written(pack)
    groups = [item.group for item in found]
    return [
        (trained([made[index] for index in train], extra), [int(index) for index in test])
        for train, test in GroupKFold(n_splits=FOLDS).split(np.zeros(len(made)), groups=groups)
    ]


def train(data: Path) -> None:
    """Write the classifier of the whole file, and the out-of-fold figures of the benchmark beside it."""
    from tests.benchmarks.measures.kvpi import measure

    warnings.filterwarnings("ignore")
    pack = load_packs().get("zh")
    used = files(data / "kvpi", "KvPI*.txt")
    made = [example(item, pack) for file in used for item in items(file)]
    file = write(
        CLASSIFIER,
        "zh",
        [*made, *written(pack)],
        trained_on=f"KvPI test part (Song et al. 2020) {' '.join(digest(file) for file in used)}, and sentences written for it",
        licence="Apache-2.0",
        figures={row.figure: round(row.value, 1) for row in measure(data) if row.tier == "classifier"},
        fitter=fit_blended,
        buckets=BUCKETS,
        **OPTIONS,
    )
    print(file, file.stat().st_size)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    train(parser.parse_args().data)
