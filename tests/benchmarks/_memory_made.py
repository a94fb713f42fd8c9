"""Made-up items for the benchmark of memory stores: texts, their words, vectors, users; the same ones for the same seed.

They are made once and lie in a folder, from which each contender reads them.
"""

import importlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from harness.language import load_packs
from harness.memory.lexical import index_terms
from harness.ports.memories import MemoryEntry
from harness.state.memory import MemoryItem, Scope

np: Any = importlib.import_module("numpy")

LIMIT = 50
PORTION = 1_000
VOCABULARY = 30_000
COMMONEST = 20
"""Words left out at the top: function words."""
CENTRES = 2_000
SESSION = 400
"""Messages of a session."""
_SYLLABLES = [first + vowel + last for first in "bdfgklmnprstv" for vowel in "aeiou" for last in ("", "n", "r", "l")]
_HAN = (0x4E00, 3_000)


@dataclass(frozen=True)
class Plan:
    """What is made: so many items of so many users, the n-th of whom has 1/n of what the first has; half English, half Chinese."""

    items: int
    users: int = 50
    dimensions: int = 384
    queries: int = 100
    seed: int = 1

    def as_dict(self) -> dict[str, int]:
        return asdict(self)


class Making:
    """Makes the items of a plan."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._packs = load_packs()
        drawn = np.random.default_rng(plan.seed)
        chances = 1 / np.arange(COMMONEST, COMMONEST + VOCABULARY)
        self._chances = np.cumsum(chances / chances.sum())
        shares = 1 / np.arange(1, plan.users + 1)
        self._shares = np.cumsum(shares / shares.sum())
        syllables = drawn.integers(0, len(_SYLLABLES), (VOCABULARY, 3))
        self._english = ["".join(_SYLLABLES[one] for one in word) for word in syllables]
        first, count = _HAN
        self._chinese = [
            "".join(chr(first + one) for one in word) for word in drawn.integers(0, count, (VOCABULARY, 2))
        ]
        self._spread = (np.arange(plan.dimensions) + 1.0) ** -0.45
        self._centres = drawn.standard_normal((CENTRES, plan.dimensions)) * self._spread
        self._middle = drawn.standard_normal(plan.dimensions) * self._spread * 2

    def write(self, folder: Path) -> None:
        """Items, queries, and the true best ``LIMIT`` cosines of each query."""
        plan = self.plan
        drawn = np.random.default_rng((plan.seed, 1 << 40))
        asked = [self._text(drawn, 8) for _ in range(plan.queries)]
        vectors = self._vectors(drawn, plan.queries)
        best: list[Any] = [np.empty(0)] * plan.queries
        with (folder / "items.jsonl").open("w", encoding="utf-8") as items, (folder / "vectors.f32").open("wb") as file:
            for start in range(0, plan.items, PORTION):
                drawn = np.random.default_rng((plan.seed, start))
                count = min(PORTION, plan.items - start)
                made = [self._text(drawn, int(drawn.integers(6, 36))) for _ in range(count)]
                users = np.searchsorted(self._shares, drawn.random(count)).tolist()
                items.writelines(
                    json.dumps((*text, user), ensure_ascii=False) + "\n" for text, user in zip(made, users, strict=True)
                )
                some = self._vectors(drawn, count)
                file.write(some.tobytes())
                cosines = vectors.astype(np.float64) @ some.T.astype(np.float64)
                best = [np.sort(np.concatenate(pair))[::-1][:LIMIT] for pair in zip(best, cosines, strict=True)]
        queries = {"terms": [text[2] for text in asked], "vectors": vectors.tolist(), "best": np.array(best).tolist()}
        (folder / "queries.json").write_text(json.dumps(queries), encoding="utf-8")
        (folder / "plan.json").write_text(json.dumps(plan.as_dict()), encoding="utf-8")

    def _text(self, drawn: Any, count: int) -> tuple[str, str, list[str]]:
        """Language, text, and its words as the language pack makes them; a Chinese text has half as many words, of two signs."""
        chinese = bool(drawn.integers(2))
        numbers = np.searchsorted(self._chances, drawn.random(count // 2 if chinese else count))
        text = (
            "".join(self._chinese[one] for one in numbers)
            if chinese
            else " ".join(self._english[one] for one in numbers)
        )
        language = "zh" if chinese else "en"
        return language, text, list(index_terms(text, self._packs, language))

    def _vectors(self, drawn: Any, count: int) -> Any:
        noise = drawn.standard_normal((count, self.plan.dimensions)) * self._spread
        found = self._middle + self._centres[drawn.integers(0, CENTRES, count)] * 0.7 + noise * 0.7
        return (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float32)


class Made:
    """Reads what was made."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.plan = Plan(**json.loads((folder / "plan.json").read_text(encoding="utf-8")))
        queries = json.loads((folder / "queries.json").read_text(encoding="utf-8"))
        self.words: list[tuple[str, ...]] = [tuple(terms) for terms in queries["terms"]]
        self.vectors: Any = np.array(queries["vectors"], np.float32)
        self.best: Any = np.array(queries["best"])

    def entries(self) -> Iterator[list[MemoryEntry]]:
        """The items, portion by portion."""
        number = 0
        for lines, some in self._portions():
            made = []
            for (language, text, terms, user), vector in zip(lines, some.tolist(), strict=True):
                made.append(MemoryEntry(_item(number, language, text, user), tuple(terms), vector))
                number += 1
            yield made

    def vectors_only(self) -> Iterator[Any]:
        """The vectors, portion by portion."""
        with (self._folder / "vectors.f32").open("rb") as file:
            while some := file.read(PORTION * self.plan.dimensions * 4):
                yield np.frombuffer(some, np.float32).reshape(-1, self.plan.dimensions)

    def terms_only(self) -> list[list[str]]:
        """The words of all items."""
        with (self._folder / "items.jsonl").open(encoding="utf-8") as lines:
            return [json.loads(line)[2] for line in lines]

    def _portions(self) -> Iterator[tuple[list[Any], Any]]:
        with (self._folder / "items.jsonl").open(encoding="utf-8") as lines:
            for some in self.vectors_only():
                yield [json.loads(next(lines)) for _ in some], some


def _item(number: int, language: str, text: str, user: int) -> MemoryItem:
    return MemoryItem(
        id=f"i{number:07}",
        layer="L3" if number % 10 == 0 else "L2",
        kind="message",
        text=text,
        language=language,
        scope=Scope(user=f"u{user}"),
        speaker="user" if number % 2 else "character",
        session=f"u{user}-{number // (SESSION * 50)}",
        turn_id=f"t{number // 2}",
        place=number % SESSION,
    )


def extra(number: int, entry: MemoryEntry) -> MemoryEntry:
    """The entry again, as another item."""
    return MemoryEntry(entry.item.model_copy(update={"id": f"x{number:07}"}), entry.terms, entry.vector)
