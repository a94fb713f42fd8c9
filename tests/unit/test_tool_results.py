"""What tools gave: with a message or between, in the prompt, in memory, long ones as files, through undo, fork and delete."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings as hypothesis_settings, strategies as st

from harness.adapters.memories.ram import InProcessMemoryStore
from harness.app import Harness
from harness.errors import ArtifactNotFound, InputError, ModelError, OperationRejected
from harness.memory.digests import CUT, FIRST, KEYS, digest
from harness.replaying import replay
from harness.session import Session
from harness.state import Persona, ToolResult, TurnRecord, apply
from harness.state.operations import ObserveTool
from harness.testing.conformance.samples import sample_state
from harness.testing.scripted_model import ScriptedModel
from tests.unit.conftest import MakeHarness, settings_of

MIA = Persona(name="Mia", id="mia")
LIN = Persona(name="林晓", id="lin", language="zh")
BOTH = pytest.mark.parametrize("persona", [MIA, LIN], ids=["en", "zh"])
FINE = {"en": "Fine.", "zh": "好的。"}
ASK = {
    "en": ["What's on in town?", "And the zoo?", "Let me think."],
    "zh": ["城里有什么活动？", "动物园呢？", "让我想想。"],
}
SHORT = {
    "en": ToolResult(name="events", arguments={"town": "York"}, text="a fair by the river"),
    "zh": ToolResult(name="events", arguments={"town": "沈阳"}, text="河边有庙会"),
}
LONG = {
    "en": {"places": [{"name": f"Museum {number}", "opens": "at ten"} for number in range(300)]},
    "zh": {"places": [{"name": f"第{number}博物馆", "opens": "十点"} for number in range(300)]},
}
FRESH = {"en": "Just looked up, events(town=York): a fair by the river", "zh": "刚查到，events(town=沈阳)：河边有庙会"}
BEFORE = {"en": "Looked up before, events(town=York): a fair", "zh": "之前查过，events(town=沈阳)：河边有庙会"}


def long_result(code: str) -> ToolResult:
    return ToolResult(name="museums", arguments="", text=LONG[code])


def prompt(record: TurnRecord) -> str:
    return "\n".join(text for _, text in record.calls[0].messages)


async def opened(harness: Harness, persona: Persona, session: str = "s") -> Session:
    return await harness.open(persona, session=session)


def everything(folder: Path) -> list[Path]:
    return list(folder.iterdir())


def files(tmp_path: Path) -> list[Path]:
    return sorted(path for path in (tmp_path / "sessions-artifacts").rglob("*") if path.is_file())


# --- given and shown ------------------------------------------------------------------------------------------------


@BOTH
async def test_a_result_given_with_a_message(make_harness: MakeHarness, persona: Persona) -> None:
    code = persona.language
    async with make_harness(FINE[code]) as harness:
        session = await opened(harness, persona)
        await session.say(ASK[code][0], tool_results=[SHORT[code]])
        record = await session.report()
        assert FRESH[code] in prompt(record)
        (kept,) = await session.tool_results()
        assert (kept.id, kept.turn, kept.text, kept.ref) == ("r1", 1, SHORT[code].text, "")
        assert (kept.characters, len(kept.sha256)) == (len(kept.text), 64)
        assert kept.at is not None
        assert [type(done.operation).__name__ for done in record.operations][:1] == ["ObserveTool"]
        await session.say(ASK[code][1])
        assert BEFORE[code] in prompt(await session.report())
        blocks = [(layer.layer, layer.block) for layer in (await session.report()).context.layers]
        assert ("L2", "tools") in blocks
        assert ("L1", "tools") not in blocks
        assert (await session.state()).tools == (kept,)


@BOTH
async def test_a_result_given_between_messages(make_harness: MakeHarness, persona: Persona) -> None:
    code = persona.language
    async with make_harness(FINE[code]) as harness:
        session = await opened(harness, persona)
        (kept,) = await session.observe([{"name": "events", "arguments": {"b": 1, "a": 2}, "text": [1, 2]}])
        assert (kept.arguments, kept.text, kept.said) == ('{"a": 2, "b": 1}', "[1, 2]", "events(a=2, b=1)")
        await session.say(ASK[code][0])
        assert "events(a=2, b=1)" in prompt(await session.report())
        assert ("L1", "tools") in [(layer.layer, layer.block) for layer in (await session.report()).context.layers]


@BOTH
async def test_a_stream_takes_results_too(make_harness: MakeHarness, persona: Persona) -> None:
    code = persona.language
    async with make_harness(FINE[code]) as harness:
        session = await opened(harness, persona)
        async for _ in session.stream(ASK[code][0], tool_results=[SHORT[code]]):
            pass
        assert FRESH[code] in prompt(await session.report())


@BOTH
async def test_a_turn_that_fails_takes_its_results_with_it(make_harness: MakeHarness, persona: Persona) -> None:
    code = persona.language
    async with make_harness(ScriptedModel(ModelError("no"))) as harness:
        session = await opened(harness, persona)
        with pytest.raises(ModelError):
            await session.say(ASK[code][0], tool_results=[SHORT[code]])
        assert await session.tool_results() == ()


@BOTH
async def test_retry_keeps_the_results_and_edit_does_not(make_harness: MakeHarness, persona: Persona) -> None:
    code = persona.language
    async with make_harness(FINE[code]) as harness:
        session = await opened(harness, persona)
        await session.say(ASK[code][0], tool_results=[SHORT[code]])
        await session.retry()
        assert FRESH[code] in prompt(await session.report())
        assert len(await session.tool_results()) == 1
        await session.edit(ASK[code][1])
        assert await session.tool_results() == ()
        await session.edit(ASK[code][1], tool_results=[SHORT[code]])
        assert FRESH[code] in prompt(await session.report())


@BOTH
async def test_undo_takes_a_result_back(make_harness: MakeHarness, persona: Persona) -> None:
    code = persona.language
    async with make_harness(FINE[code]) as harness:
        session = await opened(harness, persona)
        await session.observe([SHORT[code]])
        head = (await session.timeline())[-1].record.id
        await session.undo()
        assert (await session.state()).tools == ()
        await session.goto(head)
        assert len((await session.state()).tools) == 1


@BOTH
async def test_a_session_with_results_replays_the_same(make_harness: MakeHarness, persona: Persona) -> None:
    code = persona.language
    async with make_harness(FINE[code]) as harness:
        session = await opened(harness, persona)
        await session.say(ASK[code][0], tool_results=[SHORT[code], long_result(code)])
        await session.say(ASK[code][1])
        report = await replay(harness, "s")
        assert report.same, report


@BOTH
async def test_a_newer_result_of_the_same_call_takes_its_place(make_harness: MakeHarness, persona: Persona) -> None:
    code = persona.language
    async with make_harness(FINE[code]) as harness:
        session = await opened(harness, persona)
        newer = SHORT[code].model_copy(update={"text": "42"})
        failed = SHORT[code].model_copy(update={"text": "no line", "error": True})
        for text, result in zip(ASK[code], (SHORT[code], newer, failed), strict=True):
            await session.say(text, tool_results=[result])
        seen = prompt(await session.report())
        assert SHORT[code].text not in seen
        assert "42" in seen
        assert "no line" in seen
        assert {"en": "(failed)", "zh": "没查成"}[code] in seen


async def test_the_limits_of_the_prompt(make_harness: MakeHarness) -> None:
    results = [ToolResult(name=f"tool{number}", text="word " * 60) for number in range(8)]
    async with make_harness("Fine.", tool_results_shown=6, tool_results_max_tokens=260) as harness:
        session = await opened(harness, MIA)
        await session.say("Hello!", tool_results=results)
        record = await session.report()
    block = next(layer for layer in record.context.layers if layer.block == "tools")
    shown = [item for item in block.items if not item.dropped]
    assert sum(item.tokens for item in shown) <= 260
    assert [item.id for item in shown] == ["tool:r8", "tool:r7", "tool:r6", "tool:r5", "tool:r4", "tool:r3"][
        : len(shown)
    ]
    assert len(shown) < 8
    assert any("left out" in warning for warning in record.context.warnings)
    assert record.context.total_tokens <= record.context.budget


# --- long ones ------------------------------------------------------------------------------------------------------


@BOTH
async def test_a_long_result_goes_to_a_file(make_harness: MakeHarness, tmp_path: Path, persona: Persona) -> None:
    code = persona.language
    whole = json.dumps(LONG[code], ensure_ascii=False, sort_keys=True)
    async with make_harness(FINE[code]) as harness:
        session = await opened(harness, persona)
        await session.say(ASK[code][0], tool_results=[long_result(code), SHORT[code]])
        kept = (await session.tool_results())[0]
        assert kept.characters == len(whole)
        assert kept.sha256.startswith(kept.ref)
        assert "places[300]" in kept.text
        assert len(kept.text) < 300
        assert await session.artifact(kept.ref) == whole
        assert await session.artifact(kept.id) == whole
        assert await session.artifact("r2") == SHORT[code].text
        seen = prompt(await session.report())
        assert kept.ref in seen
        assert len(seen) < len(whole)
        assert [path.name for path in files(tmp_path)] == [f"{kept.ref}.txt"]
        with pytest.raises(ArtifactNotFound, match="artifacts list"):
            await session.artifact("0123456789abcdef")
        for wrong in ("../sessions", "", "R1"):
            with pytest.raises(ArtifactNotFound):
                await session.artifact(wrong)
    async with make_harness(FINE[code]) as harness:
        assert await (await harness.open(session="s")).artifact(kept.ref) == whole


@BOTH
async def test_fork_has_its_own_and_delete_takes_them(
    make_harness: MakeHarness, tmp_path: Path, persona: Persona
) -> None:
    code = persona.language
    async with make_harness(FINE[code]) as harness:
        session = await opened(harness, persona)
        await session.say(ASK[code][0], tool_results=[long_result(code)])
        await session.say(ASK[code][1], tool_results=[long_result(code)])
        ref = (await session.tool_results())[0].ref
        assert len(files(tmp_path)) == 1
        await session.fork("copy")
        await session.fork("beginning", number=0)
        assert len(files(tmp_path)) == 2
        await harness.delete("s")
        copy = await harness.open(session="copy")
        assert "300" in (await copy.tool_results())[0].text
        assert len(await copy.artifact(ref)) > 5000
        await harness.delete("copy")
    assert files(tmp_path) == []
    assert everything(tmp_path / "sessions-artifacts") == []


async def test_what_is_not_kept_has_no_files(tmp_path: Path) -> None:
    loaded = settings_of(tmp_path)
    changed = loaded.settings.model_copy(
        update={"storage": loaded.settings.storage.model_copy(update={"backend": "memory"})}
    )
    async with Harness(changed, model=ScriptedModel("Fine.")) as harness:
        session = await opened(harness, MIA)
        (kept,) = await session.observe([long_result("en")])
        assert len(await session.artifact(kept.ref)) > 5000
        await session.fork("copy")
        await harness.delete("s")
        assert len(await (await harness.open(session="copy")).artifact(kept.ref)) > 5000
    assert everything(tmp_path) == []


async def test_sweep_takes_what_no_turn_refers_to(make_harness: MakeHarness, tmp_path: Path) -> None:
    import os

    async with make_harness(ScriptedModel({"respond": ["Fine.", ModelError("no")], "*": ""})) as harness:
        session = await opened(harness, MIA)
        await session.say("Hello!", tool_results=[long_result("en")])
        with pytest.raises(ModelError):
            await session.say("And?", tool_results=[long_result("zh")])
        await session.undo()  # the first one is on no branch of the head, and stays all the same
        assert len(files(tmp_path)) == 2
        assert await session.sweep_artifacts() == 0  # it may belong to a turn that is still running
        for path in files(tmp_path):
            os.utime(path, (1, 1))
        assert await session.sweep_artifacts() == 1
        assert len(files(tmp_path)) == 1


# --- memory ---------------------------------------------------------------------------------------------------------


@BOTH
async def test_results_are_remembered_and_follow_the_branch(tmp_path: Path, persona: Persona) -> None:
    code = persona.language
    memory = InProcessMemoryStore()
    async with Harness(settings_of(tmp_path), model=ScriptedModel(FINE[code]), memory=memory) as harness:
        session = await harness.open(persona, session="s", user="nora")
        failed = ToolResult(name="radio", text="no line", error=True)
        await session.say(ASK[code][0], tool_results=[SHORT[code], failed])
        await session.settled()
        written = [write for write in (await session.report()).memory if write.kind == "tool_result"]
        assert [(write.layer, write.text) for write in written] == [("L2", f"{SHORT[code].said}: {SHORT[code].text}")]
        asked = {"en": "When is the fair by the river?", "zh": "河边的庙会是什么时候？"}[code]
        other = await harness.open(persona, session="t", user="nora")
        await other.say(asked)
        seen = prompt(await other.report())
        assert {"en": "looked up on", "zh": "查过，"}[code] in seen
        assert SHORT[code].text in seen
        await session.undo()
        third = await harness.open(persona, session="u", user="nora")
        await third.say(asked)
        assert SHORT[code].text not in prompt(await third.report())


# --- input ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given_", "message"),
    [
        ({"name": "a"}, "text"),
        ({"text": "a"}, "name"),
        ({"name": "", "text": "a"}, "name of its tool"),
        ({"name": "a", "text": "b", "result": "c"}, "no field result"),
        ({"name": "a", "text": 5}, "text"),
        ({"name": "a", "text": "b", "arguments": 5}, "arguments"),
        ("weather", "Expected a tool result"),
        ({"name": "a", "text": "b", "arguments": "x" * 5000}, "4000"),
    ],
)
async def test_what_is_no_result_is_refused_as_a_whole(make_harness: MakeHarness, given_: Any, message: str) -> None:
    async with make_harness("Fine.") as harness:
        session = await opened(harness, MIA)
        with pytest.raises(InputError, match=message):
            await session.observe([SHORT["en"], given_])
        with pytest.raises(InputError, match=message):
            await session.say("Hello!", tool_results=[SHORT["en"], given_])
        with pytest.raises(InputError, match="at most 32"):
            await session.observe([SHORT["en"]] * 33)
        with pytest.raises(InputError, match="nothing to change"):
            await session.observe([])
        assert await session.branch() == ()


async def test_control_characters_are_no_text(make_harness: MakeHarness) -> None:
    async with make_harness("Fine.") as harness:
        session = await opened(harness, MIA)
        kept = await session.observe(
            [ToolResult(name="a", text="x\x00\r\ny\x1b\ud800"), ToolResult(name="b", text="  ")]
        )
        assert [one.text for one in kept] == ["x \ny  ", "(nothing)"]


def test_an_operation_that_does_not_hold() -> None:
    state = sample_state()
    for result in (
        ToolResult(name=" ", text="x", turn=state.turn_count),
        ToolResult(name="a", text="", turn=state.turn_count),
        ToolResult(name="a", text="x", turn=state.turn_count + 2),
    ):
        with pytest.raises(OperationRejected):
            apply(state, ObserveTool(result=result))


# --- digests --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("short", "short"),
        ("一句话\n又一句", "一句话 又一句"),
        ('{"a": 1, "b": [1, 2]}', "{a, b[2]} · 1, 1, 2"),
        ('[{"店名": "柳莺"}, {"店名": "断桥"}]', "[2] {店名} · 柳莺, 断桥"),
        ("[]", "[]"),
        ("17", "17"),
    ],
)
def test_digests(text: str, expected: str) -> None:
    assert digest(text) == expected


def test_a_digest_names_a_few_keys() -> None:
    keys = json.dumps({f"k{number}": number for number in range(40)})
    assert digest(keys).count("k") == KEYS
    assert CUT in digest(keys)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=20) | st.dictionaries(st.text(max_size=8), inner, max_size=20),
)


@hypothesis_settings(max_examples=60, deadline=None)
@given(st.one_of(st.text(max_size=2000), JSON.map(lambda value: json.dumps(value, ensure_ascii=False))))
def test_a_digest_is_short_and_one_line(text: str) -> None:
    made = digest(text)
    assert len(made) <= FIRST + 1 + 3 + 14 * (KEYS + 2) + 60
    assert "\n" not in made
    assert not any(unicodedata.category(char) in ("Cc", "Cs") for char in made)


@BOTH
async def test_a_long_result_with_escaped_control_characters(make_harness: MakeHarness, persona: Persona) -> None:
    code = persona.language
    text = json.dumps({"a\x00": ["\x1b" + SHORT[code].text] * 600})
    async with make_harness(FINE[code]) as harness:
        session = await opened(harness, persona)
        (kept,) = await session.observe([ToolResult(name="a", text=text)])
        assert await session.artifact(kept.ref) == text
