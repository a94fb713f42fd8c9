"""The scan of vectors: exact in small, and in large by halves."""

from __future__ import annotations

import random
import sys
from array import array
from typing import Any

import pytest

from harness.adapters.memories import _vectors
from harness.adapters.memories._vectors import VectorIndex
from harness.errors import MissingExtra

np: Any = pytest.importorskip("numpy")
DIMENSIONS = 32


def made(count: int, seed: int = 0) -> Any:
    drawn = np.random.default_rng(seed)
    falling = (np.arange(DIMENSIONS) + 1.0) ** -0.5
    found = drawn.standard_normal((count, DIMENSIONS)) * falling + falling[::-1]
    return (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float32)


def exact(vectors: Any, query: Any, rows: list[int], count: int = 50) -> list[int]:
    cosines = vectors.astype(np.float64) @ query.astype(np.float64)
    return sorted(rows, key=lambda row: -cosines[row])[:count]


def same(found: list[int], expected: list[int]) -> float:
    assert len(found) == len(expected)
    return sum(one == two for one, two in zip(found, expected, strict=True)) / len(expected)


@pytest.fixture(params=[10_000, 500], ids=["whole", "halves"])
def index(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> VectorIndex:
    monkeypatch.setattr(_vectors, "SPLIT", request.param)
    return VectorIndex(DIMENSIONS)


def test_the_best_are_found_as_by_exact_cosines(index: VectorIndex) -> None:
    vectors, queries = made(4000), made(40, seed=1)
    for start in range(0, 4000, 300):
        docs = range(start, min(start + 300, 4000))
        index.extend(docs, [doc % 7 for doc in docs], vectors[start : start + 300].tobytes())
    shares = []
    for query in queries:
        scan = index.scan(array("f", query), None)
        shares.append(same(list(scan.best(50)), exact(vectors, query, list(range(4000)))))
        cosines = vectors @ query
        assert scan.mean == pytest.approx(float(cosines.mean()), abs=0.02)
        assert scan.deviation == pytest.approx(float(cosines.std()), abs=0.02)
    assert sum(shares) / len(shares) >= 0.99


@pytest.mark.parametrize("groups", [(3,), (1, 2, 3, 4, 5), (), (99,)])
def test_only_the_groups_that_were_asked_for(index: VectorIndex, groups: tuple[int, ...]) -> None:
    vectors, query = made(2000), made(1, seed=2)[0]
    index.extend(range(2000), [doc % 7 for doc in range(2000)], vectors.tobytes())
    rows = [row for row in range(2000) if row % 7 in groups]
    scan = index.scan(array("f", query), groups)
    assert len(scan) == len(rows)
    assert list(scan.best(50)) == exact(vectors, query, rows)
    assert sorted(scan.best(10_000)) == rows
    few = rows[:5]
    assert list(scan.among([*few, 6, 1994, 123_456], 3)) == exact(vectors, query, [*few], 3) or not few
    assert (scan.mean is None) == (not rows)


def test_rows_come_and_go(index: VectorIndex) -> None:
    drawn = random.Random(4)
    held: dict[int, Any] = {}
    vectors = made(5000, seed=5)
    for step in range(60):
        fresh = drawn.sample(range(3000), 60)
        rows = np.stack([vectors[(doc + step) % 5000] for doc in fresh])
        index.extend(fresh, [doc % 3 for doc in fresh], rows.tobytes())
        held.update(zip(fresh, rows, strict=True))
        gone = drawn.sample(sorted(held), drawn.choice([0, 1, 20]))
        index.discard([*gone, 77_777])
        for doc in gone:
            del held[doc]
        if step % 20 == 19:
            kept = drawn.sample(sorted(held), len(held) // 2)
            index.keep(kept)
            held = {doc: held[doc] for doc in kept}
        assert len(index) == len(held)
        query = vectors[drawn.randrange(5000)]
        cosines = {doc: float(vector @ query) for doc, vector in held.items()}
        expected = sorted(held, key=lambda doc: -cosines[doc])[:10]
        found = index.scan(array("f", query), None).best(10)
        assert [cosines[doc] for doc in found] == pytest.approx([cosines[doc] for doc in expected], abs=1e-5)


def test_without_numpy_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numpy", None)
    with pytest.raises(MissingExtra, match="vectors") as raised:
        VectorIndex(3)
    assert raised.value.details["extra"] == "vectors"


def test_the_first_half_holds_what_differs_most() -> None:
    drawn = np.random.default_rng(3)
    mixed, _ = np.linalg.qr(drawn.standard_normal((24, 24)))
    sample = (drawn.standard_normal((3000, 24)) * (np.arange(24) + 1.0) ** -1.0) @ mixed
    turn = _vectors._turn(np, sample.astype(np.float32))
    assert np.allclose(turn.T @ turn, np.eye(24), atol=1e-5)
    spread = np.var(sample @ turn, axis=0)
    best = np.sort(np.linalg.eigvalsh(np.cov(sample.T)))[::-1]
    assert spread[:12].sum() / spread.sum() > 0.99 * best[:12].sum() / best.sum()


@pytest.mark.parametrize("varying", [0, 1, 5])
def test_vectors_that_hardly_differ_are_turned_too(varying: int) -> None:
    sample = np.zeros((50, 8), np.float32)
    sample[:, :varying] = made(50)[:, :varying]
    sample[0, 0] += 1e-3
    turn = _vectors._turn(np, sample)
    assert np.allclose(turn.T @ turn, np.eye(8), atol=1e-5)


def test_cosines_are_those_of_the_vectors(index: VectorIndex) -> None:
    vectors, query = made(1500), made(1, seed=4)[0]
    cosines = vectors.astype(np.float64) @ query.astype(np.float64)
    index.extend(range(1000), [0] * 1000, vectors[:1000].tobytes())
    wanted = [999, 3, 500, 3, 77_777]
    found = index.cosines(array("f", query), wanted)
    assert found == {doc: pytest.approx(cosines[doc], abs=1e-6) for doc in (3, 500, 999)}
    # Rows in any order: removed from the middle, replaced, and added one by one.
    index.discard([3, 10, 999])
    index.extend([500], [0], vectors[1200].tobytes())
    for doc in range(1300, 1310):
        index.extend([doc], [0], vectors[doc].tobytes())
    found = index.cosines(array("f", query), [3, 10, 500, 998, 1305])
    expected = {500: cosines[1200], 998: cosines[998], 1305: cosines[1305]}
    assert found == {doc: pytest.approx(cosine, abs=1e-6) for doc, cosine in expected.items()}
    index.keep([998])
    assert set(index.cosines(array("f", query), range(1500))) == {998}
    index.keep([])
    assert index.cosines(array("f", query), [998]) == {}


@pytest.mark.parametrize("count", [1, 50, 400, 4000, 40_000])
def test_the_edge_of_many_scores_is_the_one_of_all(count: int) -> None:
    vectors = made(40_000, seed=5)
    index = VectorIndex(DIMENSIONS)
    scan = index.scan(array("f", vectors[0]), None)
    scores = vectors @ vectors[0]
    for given in (scores, np.round(scores, 1), np.where(scores > 0.99, scores, -np.inf).astype(np.float32)):
        assert scan._edge(given, count) == np.sort(given)[::-1][count - 1]
    # The best all where the sample does not look.
    hidden = np.zeros(40_000, np.float32)
    hidden[1 : 1 + count : 1] = np.arange(1, min(count, 39_999) + 1)
    assert scan._edge(hidden, count) == np.sort(hidden)[::-1][count - 1]
