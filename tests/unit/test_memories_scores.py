"""BM25: by its formula, by hand and by numpy."""

from __future__ import annotations

import math
import random

import pytest

from harness.adapters.memories._bm25 import K1, B, Ranking, distinct, idf, rarest
from harness.adapters.memories._scores import PlainScores, added_up
from harness.adapters.memories._sqlite_postings import pack, unpack


def test_the_formula() -> None:
    ranking = Ranking.of({"a": 2, "b": 9, "gone": 0}, documents=10, tokens=50)
    assert idf(10, 2) == pytest.approx(math.log(1 + 8.5 / 2.5))
    expected = idf(10, 2) * 3 * (K1 + 1) / (3 + K1 * (1 - B + B * 10 / 5))
    assert ranking.part("a", 3, 10) == pytest.approx(expected)
    assert ranking.score({"a": 3, "b": 1, "other": 4}, 10) == pytest.approx(expected + ranking.part("b", 1, 10))
    assert ranking.score({"other": 4}, 10) == 0.0
    assert "gone" not in ranking.idfs
    assert min(idf(10, having) for having in range(11)) > 0
    assert Ranking.of({}, 0, 0).score({}, 0) == 0.0


def test_common_words_are_put_off() -> None:
    assert rarest({"the": 900, "cat": 30, "sofa": 5, "none": 0}, 100) == (["sofa", "cat"], ["the"])
    assert rarest({"the": 900}, 100) == (["the"], [])
    assert rarest({"the": 900, "of": 800}, 100) == (["of"], ["the"])
    assert rarest({}, 100) == ([], [])
    assert distinct(["a", "b", "a", ""]) == ("a", "b")


def test_numbers_are_packed() -> None:
    numbers = [0, 1, 2**32, 2**64 - 1]
    assert unpack(pack(numbers)) == tuple(numbers)
    assert pack([1]) == b"\1" + bytes(7)
    assert unpack(b"") == ()


@pytest.mark.parametrize("spread", [1, 5_000_000], ids=["close", "far apart"])
def test_numpy_gives_the_same(spread: int) -> None:
    np = pytest.importorskip("numpy")
    drawn = random.Random(spread)
    ranking = Ranking.of({"a": 300, "b": 40, "c": 1}, documents=1000, tokens=9000)
    lists = {}
    for term, count in (("a", 300), ("b", 40), ("c", 1)):
        docs = sorted(drawn.sample(range(1, 800), count))
        entries = [
            doc * spread << 32 | drawn.randint(1, 9) << 16 | doc % 37 + 9 for doc in docs if doc * spread < 2**32
        ]
        lists[term] = pack(entries)
    plain, fast = added_up(lists, ranking), added_up(lists, ranking, np=np)
    assert isinstance(plain, PlainScores)
    assert not isinstance(fast, PlainScores)
    assert len(plain) == len(fast) > 0
    for count in (0, 1, 10, 5000):
        # Not the docs: the last bit of a sum may break a tie.
        docs = list(plain.best(count))
        assert fast.of(docs) == pytest.approx(plain.of(docs))
        assert fast.of(fast.best(count)) == pytest.approx(plain.of(docs))
    some = [*docs[::3], 2**40]
    assert fast.of(fast.among(some, 20)) == pytest.approx(plain.of(docs[::3][:20]))
    assert plain.among(some, 20) == docs[::3][:20]
