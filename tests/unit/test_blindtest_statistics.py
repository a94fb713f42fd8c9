"""The statistics of blind tests against known numbers, and against data of which the truth is known."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings, strategies as st

from harness.blindtest.comparing import Compared, bootstrap, compare_all, detectable, losses_of, sign_flips
from harness.blindtest.fluency import Talk, fluency, losses_between, variety, words_of
from harness.blindtest.statistics import binomial, clustered, holm, median_survival, rate, survival

Rows = list[tuple[str, bool, bool]]

# --- known numbers --------------------------------------------------------------------------------------------------


def alone(rows: Rows, *, of_these_scripts: bool = False) -> Compared:
    (made,) = compare_all([("a", "b", {"all": rows})], of_these_scripts=of_these_scripts)
    return made


def test_mcnemar_is_the_exact_test_of_the_pairs_that_differ() -> None:
    rows = [(f"s/{number}", number < 10, not number < 10) for number in range(12)]
    rows += [(f"s/{number}", True, True) for number in range(12, 30)]
    found = alone(rows)
    assert (found.only_first, found.only_second, found.pairs) == (10, 2, 30)
    assert found.p == pytest.approx(2 * (1 + 12 + 66) / 2**12)
    assert found.difference == pytest.approx(8 / 30)


def test_holm() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]) == []


@pytest.mark.parametrize("scripts", [2, 5, 6, 10])
def test_turning_signs(scripts: int) -> None:
    assert sign_flips([3.0] * scripts) == pytest.approx(2.0 ** (1 - scripts))
    assert sign_flips([0.0] * scripts) == 1
    assert sign_flips([2.0, -2.0] * scripts) == pytest.approx(1)


def test_binomial() -> None:
    assert binomial(9, 10) == pytest.approx(2 * 11 / 1024)
    assert binomial(0, 0) == 1


# Weeks in remission of the treated and the untreated of Freireich et al. 1963, the example of most textbooks; False: still in it.
TREATED = [(6, True), (6, True), (6, True), (6, False), (7, True), (9, False), (10, True), (10, False), (11, False), (13, True), (16, True),
           (17, False), (19, False), (20, False), (22, True), (23, True), (25, False), (32, False), (32, False), (34, False), (35, False)]  # fmt: skip
UNTREATED = [1, 1, 2, 2, 3, 4, 4, 5, 5, 8, 8, 8, 8, 11, 11, 12, 12, 15, 17, 22, 23]


def test_the_first_failure_of_half() -> None:
    shares = [0.857, 0.807, 0.753, 0.690, 0.627, 0.538, 0.448]
    found = survival(TREATED)
    assert [turn for turn, _ in found] == [6, 7, 10, 13, 16, 22, 23]
    assert [share for _, share in found] == pytest.approx(shares, abs=6e-4)
    assert median_survival(TREATED) == 23
    assert median_survival([(turn, True) for turn in UNTREATED]) == 8
    # One failure early among many that never fail is not the median, as it was for the median of those that failed.
    assert median_survival([(3, True), *[(20, False)] * 9]) is None
    assert median_survival([]) is None


def test_the_least_difference_of_pairs() -> None:
    # 84.8 pairs by (1.96·√0.25 + 0.8416·√(0.25 − 0.15²))² / 0.15²; a quarter of them differs, the two thought besides included.
    rows = [(f"s/{n}", n % 2 == 0, n % 2 == 1) if n < 20 else (f"s/{n}", True, True) for n in range(86)]
    assert detectable(rows, of_these_scripts=True) == pytest.approx(0.149, abs=2e-3)
    assert detectable(rows[:1]) == 1
    assert detectable(rows, level=0.05 / 20) > detectable(rows)


def test_too_few_scripts_show_nothing_however_many_pairs() -> None:
    rows = [(f"s/{n % 5}", True, n % 3 == 0) for n in range(500)]
    assert detectable(rows) == 1
    assert detectable(rows, of_these_scripts=True) < 0.15


# --- shares by script -----------------------------------------------------------------------------------------------


def outcomes(scripts: int, probes: int, repeats: int, *, fails: int = 0) -> list[tuple[str, str, bool]]:
    return [
        (str(script), str(probe), script * probes + probe >= fails)
        for script in range(scripts)
        for probe in range(probes)
        for _ in range(repeats)
    ]


@pytest.mark.parametrize("fails", [0, 1, 6])
def test_repeats_that_always_come_out_alike_make_no_interval_narrower(fails: int) -> None:
    once, often = clustered(outcomes(12, 2, 1, fails=fails)), clustered(outcomes(12, 2, 30, fails=fails))
    assert often.effective <= once.effective + 1
    assert (often.low, often.high) == pytest.approx((once.low, once.high), abs=0.04)
    naive = rate(often.passed, often.total)
    assert often.low < naive.low - 0.05


def test_scripts_do() -> None:
    assert clustered(outcomes(40, 2, 1)).low > clustered(outcomes(10, 2, 1)).low > clustered(outcomes(3, 2, 1)).low


def test_one_script_says_little() -> None:
    found = clustered(outcomes(1, 4, 25))
    assert (found.passed, found.total, found.effective) == (100, 100, 1)
    assert (found.low, found.high) == pytest.approx((0.2065, 1.0), abs=1e-4)
    assert clustered([]).high == 1


def test_one_failure_more_is_no_better_bound() -> None:
    perfect = clustered(outcomes(10, 3, 10))
    rows = outcomes(10, 3, 10)
    rows[0] = (*rows[0][:2], False)
    assert clustered(rows).low <= perfect.low + 0.03


Outcomes = st.lists(
    st.tuples(st.sampled_from("abcdefg"), st.sampled_from("xyz"), st.booleans()), min_size=1, max_size=80
)


@settings(max_examples=80, deadline=None)
@given(rows=Outcomes, shuffled=st.randoms(use_true_random=False))
def test_shares_whatever_the_order_and_whichever_is_called_passing(
    rows: list[tuple[str, str, bool]], shuffled: random.Random
) -> None:
    found = clustered(rows)
    assert 0 <= found.low <= found.share <= found.high <= 1
    assert 1 <= found.effective <= found.total
    naive = rate(found.passed, found.total)
    assert found.high - found.low >= naive.high - naive.low - 1e-9
    other = list(rows)
    shuffled.shuffle(other)
    assert (clustered(other).low, clustered(other).high) == pytest.approx((found.low, found.high))
    turned = clustered([(script, probe, not good) for script, probe, good in rows])
    assert (1 - turned.high, 1 - turned.low) == pytest.approx((found.low, found.high))


@pytest.mark.parametrize(("scripts", "probes", "repeats"), [(5, 3, 5), (12, 3, 5), (12, 1, 20)])
def test_intervals_hold_the_truth_about_scripts_like_these(scripts: int, probes: int, repeats: int) -> None:
    draw = random.Random(scripts * 100 + repeats)
    trials, held, naive = 150, 0, 0
    for _ in range(trials):
        rows = []
        for script in range(scripts):
            share = draw.betavariate(2.1, 0.9)  # its mean is 0.7
            rows += [
                (str(script), str(probe), draw.random() < share) for probe in range(probes) for _ in range(repeats)
            ]
        found = clustered(rows)
        held += found.low <= 0.7 <= found.high
        plain = rate(found.passed, found.total)
        naive += plain.low <= 0.7 <= plain.high
    assert held / trials >= 0.92
    assert naive / trials < 0.8  # as if every outcome stood for itself


# --- comparisons ----------------------------------------------------------------------------------------------------

Pairs = st.lists(st.tuples(st.sampled_from("abcdefgh"), st.booleans(), st.booleans()), min_size=1, max_size=60)


@settings(max_examples=30, deadline=None)
@given(rows=Pairs, these=st.booleans())
def test_to_swap_the_witnesses_turns_the_signs(rows: Rows, these: bool) -> None:
    one = alone(rows, of_these_scripts=these)
    other = alone([(script, second, first) for script, first, second in rows], of_these_scripts=these)
    assert one.difference == -other.difference
    assert (one.low, one.high) == pytest.approx((-other.high, -other.low))
    assert (one.p, one.by_script, one.adjusted) == pytest.approx((other.p, other.by_script, other.adjusted))
    assert one.detectable == pytest.approx(other.detectable)
    if min(abs(one.low), abs(one.high)) > 1e-9:  # a bound of nought may be so to the last digit on one side alone
        assert one.winner == {"first": "second", "second": "first", "neither": "neither"}[other.winner]


@settings(max_examples=25, deadline=None)
@given(rows=Pairs, shuffled=st.randoms(use_true_random=False))
def test_the_order_of_pairs_does_not_matter(rows: Rows, shuffled: random.Random) -> None:
    other = list(rows)
    shuffled.shuffle(other)
    assert alone(other) == alone(rows)


@pytest.mark.parametrize(("pairs", "reach"), [(4, 0.327), (92, 0.0208)])
def test_no_pair_that_differs_is_no_proof_that_none_ever_will(pairs: int, reach: float) -> None:
    rows = [(f"s/{number}", True, True) for number in range(pairs)]
    for these in (True, False):
        found = alone(rows, of_these_scripts=these)
        assert (found.low, found.high) == pytest.approx((-reach, reach), abs=1e-3)
        assert found.winner == "neither"


def drawn(draw: random.Random, scripts: int, *, gain: float) -> Rows:
    """Pairs of two witnesses whose share of passed probes differs by a gain, about the same in every script."""
    rows = []
    for script in range(scripts):
        base = 0.55 + draw.gauss(0, 0.1)
        rows += [(str(script), draw.random() < base + gain, draw.random() < base) for _ in range(6)]
    return rows


def test_what_is_called_detectable_is_found_four_times_in_five() -> None:
    draw = random.Random(11)
    gain = sum(detectable(drawn(draw, 11, gain=0)) for _ in range(8)) / 8
    assert 0.1 < gain < 0.45
    found = sum(alone(drawn(draw, 11, gain=gain)).winner == "first" for _ in range(40))
    less = sum(alone(drawn(draw, 11, gain=gain / 3)).winner == "first" for _ in range(40))
    assert 0.65 <= found / 40 <= 0.97
    assert less / 40 < 0.5


def test_intervals_of_differences_hold_the_truth() -> None:
    draw = random.Random(3)
    for scripts in (4, 8):
        held = 0
        for _ in range(150):
            sums = [(sum(draw.gauss(0.1, 0.3) for _ in range(3)), 3.0) for _ in range(scripts)]
            low, high = bootstrap(sums)
            held += low <= 0.1 <= high
        assert held / 150 >= 0.9  # plain percentiles: 0.79 for four scripts
    assert bootstrap([(1.0, 1.0)]) == (-1.0, 1.0)


# --- fluency --------------------------------------------------------------------------------------------------------

WORDS = {
    "en": "the river keeps its own slow time and nobody here would think to hurry it along before the summer ends because every boat "
    "that leaves the harbour has somebody waiting on another shore with bread and questions",
    "zh": "河水自有它的快慢谁也不会在夏天结束以前去催它因为每条离港的船都有人在对岸等着备好面包还有许多问题要慢慢问清楚",
}
BOTH = pytest.mark.parametrize("code", ["en", "zh"])


def talk(witness: str, script: int, replies: list[str], **more: int) -> Talk:
    return Talk(witness, f"s/{script}", (f"s{script}", "one", "ada", 0), tuple(replies), **more)


def text(code: str, words: list[str]) -> str:
    return (" " if code == "en" else "").join(words)


def test_variety_over_a_window() -> None:
    assert variety("abab", 2) == 1
    assert variety("aabb", 2) == pytest.approx((1 + 2 + 1) / 3 / 2)
    assert variety("aaaa", 4) == 0.25
    assert variety("ab", 3) is None
    assert fluency([talk("a", 0, ["Yes."])]).distinct_1 is None


@BOTH
def test_variety_does_not_fall_with_length(code: str) -> None:
    once = talk("a", 0, [text(code, words_of(WORDS[code]) * 4)])
    often = talk("b", 0, [text(code, words_of(WORDS[code]) * 12)])
    first, second = fluency([once]).distinct_1, fluency([often]).distinct_1
    assert first == pytest.approx(second, abs=0.01)


@BOTH
def test_who_says_less_is_not_more_varied(code: str) -> None:
    words = words_of(WORDS[code])
    talks = [talk("short", script, [text(code, words[:24])]) for script in range(10)]
    talks += [talk("long", script, [text(code, words[:24]), text(code, words[:24] * 3)]) for script in range(10)]
    found = {one.measure: one for one in losses_between(["long"], ["short"], talks)}
    assert not found["distinct_1"].shown
    assert found["distinct_1"].loss == 0


@BOTH
def test_a_loss_in_every_script_is_shown_and_one_conversation_shows_nothing(code: str) -> None:
    words = words_of(WORDS[code])
    talks = [talk("brief", script, [text(code, words[: 10 + script % 3])]) for script in range(12)]
    talks += [talk("full", script, [text(code, words[: 20 + script % 3])]) for script in range(12)]
    found = {one.measure: one for one in losses_between(["brief"], ["full"], talks)}
    assert found["words"].shown
    assert found["words"].loss == pytest.approx(10 / 21, abs=0.01)
    assert found["words"].p == pytest.approx(2 / 2**12)
    assert not found["repeated"].shown
    few = [one for one in talks if one.script == "s/0"]
    assert not any(one.shown for one in losses_between(["brief"], ["full"], few))
    turned = {one.measure: one for one in losses_between(["full"], ["brief"], talks)}
    assert turned["words"].loss < 0
    assert turned["words"].p == found["words"].p


def test_repeats_of_a_script_count_where_it_is_about_these_scripts() -> None:
    words = words_of(WORDS["en"])
    talks = [
        Talk(name, "s/one", ("s", "one", "ada", repeat), (" ".join(words[:size]),))
        for repeat in range(8)
        for name, size in (("brief", 10), ("full", 20))
    ]
    assert not any(one.shown for one in losses_between(["brief"], ["full"], talks))
    assert any(one.shown for one in losses_between(["brief"], ["full"], talks, by_case=True))


def test_a_reply_in_another_language_counts_for_its_witness() -> None:
    talks = [talk("a", script, ["One.", "Two."], strayed=1) for script in range(8)]
    talks += [talk("b", script, ["One.", "Two."]) for script in range(8)]
    found = {one.measure: one for one in losses_between(["a"], ["b"], talks)}
    assert found["in_language"].loss == 0.5
    assert found["in_language"].shown
    assert fluency(talks[:8]).in_language == 0.5


def test_all_losses_are_corrected_together() -> None:
    rows = {"words": [(str(script), 1.0, 2.0) for script in range(8)]}
    one = losses_of([("a", "b", rows)])
    three = losses_of([("a", other, rows) for other in "bcd"])
    assert three[0].adjusted == pytest.approx(3 * one[0].adjusted)
    assert losses_of([("a", "b", {"words": []})]) == ()
