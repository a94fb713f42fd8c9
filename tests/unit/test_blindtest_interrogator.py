"""The simulated interrogator: what it asks and remembers, what it never sees, and how its trials are stored and counted."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from harness.app_blindtest import Bench, Run
from harness.app_blindtest_interrogating import interrogate
from harness.blindtest.folder import RunFolder
from harness.blindtest.interrogator import interrogators, strategies
from harness.blindtest.transcript import Said, Trial
from harness.blindtest.witness import Conversation
from harness.blindtest.witnesses.scripted import Asked, ScriptedWitness
from harness.errors import AuthenticationFailed, HarnessError, PersonaError, RunError, ServerFailed
from harness.ports import ModelRequest
from harness.settings import load
from harness.state import Persona
from harness.testing import ScriptedModel
from harness.testing.scripted_server import ScriptedServer, ServerThread
from tests._commands import runner

PERSONAS = {"en": "ada", "zh": "lin"}
ASKED = {"en": "What did you have for lunch, number {}?", "zh": "第{}回问：中午吃了什么？"}
NOTICED = {"en": "first 'soup', then 'no lunch'", "zh": "先说“喝汤”，后说“没吃”"}
SAID = {"en": "Soup, from the corner shop.", "zh": "喝了碗汤，街角那家的。"}
SECRET = {"en": "night-shift nurse", "zh": "古籍修复师"}


class Asking:
    """A model that interrogates as told, and answers as a bare witness would."""

    def __init__(self, language: str, **verdict: object) -> None:
        self.language, self.turn = language, 0
        self.verdict = {
            "reasoning": "r",
            "quote": SAID[language],
            "verdict": "human",
            "confidence": 0.8,
            "reason": "style",
        }
        self.verdict |= verdict

    def __call__(self, request: ModelRequest) -> str:
        if request.purpose == "interrogate":
            self.turn += 1
            noticed = NOTICED[self.language] if self.turn == 3 else ""
            message = ASKED[self.language].format(self.turn)
            return json.dumps({"reasoning": "r", "noticed": noticed, "message": message}, ensure_ascii=False)
        if request.purpose == "interrogation_verdict":
            return json.dumps(self.verdict, ensure_ascii=False)
        return SAID[self.language]


async def held(
    tmp_path: Path, language: str, answering: object = None, *, out: str = "run", **more: object
) -> tuple[Run, ScriptedModel]:
    model = ScriptedModel(answering or Asking(language))  # type: ignore[arg-type]  # a function of a request
    one = ScriptedWitness("one", lambda _: SAID[language])
    async with Bench(load(start=tmp_path, environ={}), model=model, extra={"one": one}) as bench:
        options: dict[str, object] = {
            "strategy": ["contradiction"], "turns": 4, "personas": [PERSONAS[language]], "witness": "one",
            "out": tmp_path / out, **more,
        }  # fmt: skip
        return await interrogate(bench, **options), model  # type: ignore[arg-type]  # passed on as they are


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_it_asks_so_often_and_gives_a_verdict(tmp_path: Path, language: str) -> None:
    run, model = await held(tmp_path, language)

    transcript = run.folder.transcripts()[0]
    found = transcript.interrogation
    assert found is not None
    assert [one.user for one in transcript.exchanges] == [ASKED[language].format(turn) for turn in (1, 2, 3, 4)]
    assert (found.verdict, found.confidence, found.reason, found.void) == ("human", 0.8, "style", "")
    assert found.noticed == (NOTICED[language],)
    assert found.calls == 5
    assert model.purposes.count("interrogate") == 4
    assert run.passed
    assert run.results.witness("one").probes["all"].passed == 1


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_what_it_noticed_stays_before_it(tmp_path: Path, language: str) -> None:
    _, model = await held(tmp_path, language)
    heads = [request.messages[0].content for request in model.requests if request.purpose == "interrogate"]
    assert [NOTICED[language] in head for head in heads] == [False, False, False, True]
    last = next(request for request in model.requests if request.purpose == "interrogation_verdict")
    assert NOTICED[language] in last.messages[0].content
    for head in heads:
        assert strategies(language)["contradiction"] in head
        assert interrogators(language)["neighbour"] in head


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_it_shares_nothing_with_the_witness(tmp_path: Path, language: str) -> None:
    """The bare witness uses the same model; what each of the two is sent is its own."""
    _, model = await held(tmp_path, language, witness="bare")
    asking = [one for one in model.requests if one.purpose.startswith("interrogat")]
    answering = [one for one in model.requests if one.purpose == "respond"]
    assert len(asking) == 5
    assert len(answering) == 4
    for request in asking:
        text = "\n".join(message.content for message in request.messages)
        assert SECRET[language] not in text, "the interrogator knows the persona"
        assert request.role == "evaluator"
    for request in answering:
        text = "\n".join(message.content for message in request.messages)
        assert SECRET[language] in text
        assert strategies(language)["contradiction"] not in text, "the witness knows the strategy"
        assert interrogators(language)["neighbour"] not in text
        assert NOTICED[language] not in text
        assert "\nr\n" not in f"\n{text}\n"
    # The two lists mirror each other: what one said is what the other was told.
    told = [message.content for message in answering[-1].messages if message.role == "user"]
    assert told == [ASKED[language].format(turn) for turn in (1, 2, 3, 4)]
    assert [message.content for message in asking[3].messages if message.role == "assistant"] == told[:3]


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_taken_for_a_machine_fails(tmp_path: Path, language: str) -> None:
    run, _ = await held(tmp_path, language, Asking(language, verdict="machine", reason="socio_emotional"))
    assert not run.passed
    verdict = next(one for graded in run.folder.graded().values() for one in graded.verdicts if one.grader == "model")
    assert (verdict.outcome, verdict.probe) == ("fail", "interrogation-contradiction")
    assert SAID[language] in verdict.evidence
    assert "socio_emotional" in verdict.evidence


async def test_whether_a_character_holds_is_another_question(tmp_path: Path) -> None:
    run, _ = await held(tmp_path, "en", Asking("en", verdict="holds"), question="character")
    assert run.passed
    run, _ = await held(tmp_path, "en", Asking("en", verdict="breaks"), question="character", out="other")
    assert not run.passed


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"quote": "I am made of wires."}, "never said 'I am made of wires.'"),
        ({"quote": ""}, "never said ''"),
        ({"verdict": "holds"}, "asked for human or machine and said holds"),
        ({"confidence": 7}, "no verdict"),
    ],
)
async def test_a_verdict_that_does_not_stand_counts_for_nobody(
    tmp_path: Path, changes: dict[str, object], why: str
) -> None:
    run, _ = await held(tmp_path, "en", Asking("en", **changes))
    found = run.folder.transcripts()[0].interrogation
    assert found is not None
    assert why in found.void
    assert run.results.witness("one").probes["all"].total == 0


async def test_a_witness_that_fails_ends_the_trial_and_is_asked_again(tmp_path: Path) -> None:
    broken = {"now": True}

    def answer(asked: Asked) -> str | Said:
        if asked.number == 3 and broken["now"]:
            raise ServerFailed("down")
        return SAID["en"]

    async def go(*, resume: bool) -> Run:
        async with Bench(
            load(start=tmp_path, environ={}),
            model=ScriptedModel(Asking("en")),
            extra={"w": ScriptedWitness("w", answer)},
        ) as bench:
            return await interrogate(
                bench, strategy=["time", "emotion"], turns=4, personas=["ada"], witness="w", out=tmp_path / "run", resume=resume
            )  # fmt: skip

    first = await go(resume=False)
    assert [len(one.exchanges) for one in first.folder.transcripts()] == [2, 2]
    assert all("ServerFailed" in one.error for one in first.folder.transcripts())
    assert first.results.witness("w").probes["all"].total == 0, "a question that was never asked is no failure"
    assert not first.passed
    broken["now"] = False
    second = await go(resume=True)
    assert [one.error for one in second.folder.transcripts()] == ["", ""]
    assert second.passed


@dataclass(frozen=True, slots=True)
class _Shut:
    """A witness that cannot be begun with, for a reason."""

    why: HarnessError
    name: str = "shut"
    about: Mapping[str, Any] = field(default_factory=dict)

    async def begin(self, _: Trial, __: Persona) -> Conversation:
        raise self.why

    async def close(self) -> None:
        """Nothing is held."""


async def test_a_witness_that_cannot_begin_ends_its_trial_and_a_wrong_key_the_run(tmp_path: Path) -> None:
    async with Bench(
        load(start=tmp_path, environ={}), model=ScriptedModel(Asking("en")),
        extra={"shut": _Shut(ServerFailed("It is down.")), "locked": _Shut(AuthenticationFailed("Wrong key."), "locked")},
    ) as bench:  # fmt: skip
        run = await interrogate(
            bench, strategy=["time"], turns=1, personas=["ada"], witness="shut", trials=2, out=tmp_path / "run"
        )
        assert [one.error for one in run.folder.transcripts()] == ["ServerFailed: It is down."] * 2
        assert run.results.witness("shut").errors == 2
        with pytest.raises(AuthenticationFailed):
            await interrogate(bench, strategy=["time"], turns=1, personas=["ada"], witness="locked", out=tmp_path / "b")


async def test_a_wrong_key_of_the_interrogator_ends_the_run(tmp_path: Path) -> None:
    def answer(_: ModelRequest) -> str:
        raise AuthenticationFailed("Wrong key.")

    with pytest.raises(AuthenticationFailed):
        await held(tmp_path, "en", answer)


async def test_every_strategy_is_held_and_resumed_without_a_call(tmp_path: Path) -> None:
    run, _ = await held(tmp_path, "en", strategy=(), turns=1, against=["eliza"])
    assert {one.trial.script for one in run.folder.transcripts()} == set(strategies("en"))
    assert len(run.plan.trials) == 10
    again, model = await held(tmp_path, "en", strategy=(), turns=1, against=["eliza"], resume=True)
    assert not model.requests
    assert again.results == run.results
    with pytest.raises(RunError, match="suites differ"):
        await held(tmp_path, "en", strategy=(), turns=2, against=["eliza"], resume=True)


def test_both_languages_have_the_same_strategies_and_personas() -> None:
    assert (
        list(strategies("en")) == list(strategies("zh")) == ["detail", "contradiction", "time", "emotion", "nonsense"]
    )
    assert list(interrogators("en")) == list(interrogators("zh"))


async def test_what_does_not_exist_is_said(tmp_path: Path) -> None:
    for more, says in (
        ({"strategy": ["torture"]}, "no strategy 'torture'"),
        ({"question": "weather"}, "no question 'weather'"),
        ({"turns": 0}, "1 to 200 turns"),
        ({"witness": "nobody"}, "no witness 'nobody'"),
    ):
        with pytest.raises(RunError, match=says):
            await held(tmp_path, "en", **more)
    with pytest.raises(PersonaError):
        await held(tmp_path, "en", personas=["nobody"])
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_command_over_http(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, language: str) -> None:
    """A real endpoint on loopback: it is asked in JSON by the interrogator, and for nothing by a witness that needs no model."""
    monkeypatch.chdir(tmp_path)
    step = {"reasoning": "r", "noticed": "", "message": ASKED[language].format(1)}
    final = {"reasoning": "r", "quote": "", "verdict": "machine", "confidence": 0.9, "reason": "style"}
    server = ScriptedServer([json.dumps(step, ensure_ascii=False), json.dumps(final, ensure_ascii=False)])
    with ServerThread(server) as running:
        run = runner("blindtest", "interrogate")
        shown = run(
            "--strategy", "nonsense", "--turns", "1", "--persona", PERSONAS[language], "--witness", "eliza", "--out", "made",
            "--set", f"provider.base_url={running.base_url}", "--set", "models.responder=test-model", code=1,
        ).output  # fmt: skip
    assert "eliza" in shown
    assert "void" in shown
    assert len(RunFolder(tmp_path / "made").transcripts()) == 1
