"""Human tests: nothing tells which channel is which before the verdict, and what is counted afterwards holds."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from harness.app_blindtest import Bench
from harness.app_blindtest_human import Held, HumanTest, hold_human, told
from harness.blindtest.human.channels import RecordedChannel, recorded_pairs
from harness.blindtest.human.joining import JOIN, PersonChannel, join, read_note
from harness.blindtest.human.judging import line
from harness.blindtest.human.results import human_results
from harness.blindtest.human.room import Room, plain
from harness.blindtest.human.saved import Judgement, SessionFolder, SessionInfo, sessions_in
from harness.blindtest.human.schedule import LEAST_S, MOST_S, Schedule
from harness.blindtest.human.sealing import Key, Letter, Seat
from harness.blindtest.pacing import Pacing
from harness.blindtest.witnesses.scripted import Asked, ScriptedWitness
from harness.errors import RunError, ServerFailed
from harness.language import load_packs
from harness.settings import load
from harness.testing import ScriptedModel
from harness.testing.scripted_server import Answer, Received, ScriptedServer, ServerThread
from tests._commands import runner

PERSONAS = {"en": "ada", "zh": "lin"}
ROOT = Path(__file__).resolve().parents[2]
TELLING = re.compile(
    r"witness|person|recorded|harness|eliza|bare|engine|scripted|model|seat|nonce|ada\b|obi|\blin\b|林晓|error|fail|secret",
    re.IGNORECASE,
)
"""What must not stand in the folder before the verdict, as content or as a name."""


class Typed:
    """A judge who types these lines; a number waits so many seconds, a function is called."""

    def __init__(self, *lines: object) -> None:
        self._lines = list(lines)

    async def line(self, prompt: str = "") -> str | None:
        del prompt
        while self._lines:
            first = self._lines.pop(0)
            if callable(first):
                first()
            elif isinstance(first, int | float):
                await asyncio.sleep(first)
            else:
                return str(first)
        return None


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    """A run whose replies sit at the other channel."""

    async def made() -> None:
        for language, say, reply in (("en", "Hello?", "Evening. Kettle's on."), ("zh", "你好？", "晚上好，水开了。")):
            file = tmp_path / f"said.{language}.yaml"
            steps = "".join(
                f"          - {{say: '{say} {number}', expect: {{mentions: '{number}'}}}}\n" for number in range(8)
            )
            file.write_text(
                f"suite: said\nlanguage: {language}\nscripts:\n  - id: a\n    probe: b\n    rounds:\n      - steps:\n{steps}",
                encoding="utf-8",
            )
            speaking = ScriptedWitness("speaking", lambda asked, reply=reply: f"{reply} {asked.number}")  # type: ignore[misc]
            async with Bench(
                load(start=tmp_path, environ={}), model=ScriptedModel("Hm."), extra={"speaking": speaking}
            ) as bench:
                await bench.run([file], witness="speaking", out=tmp_path / f"recorded-{language}")

    asyncio.run(made())
    return tmp_path


async def held(
    folder: Path,
    language: str,
    *lines: object,
    answer: object = lambda asked: f"Reply {asked.number}.",
    seconds: float = 0.05,
    minutes: float = 1.0,
) -> tuple[Held, list[str]]:
    shown: list[str] = []
    witness = ScriptedWitness("secret-witness", answer, {"model": "secret-model"})  # type: ignore[arg-type]
    async with Bench(
        load(start=folder, environ={}), model=ScriptedModel("Hm."), extra={"secret-witness": witness}
    ) as bench:
        test = HumanTest(
            persona=PERSONAS[language], witness="secret-witness", recorded=folder / f"recorded-{language}",
            minutes=minutes, median_s=seconds,
        )  # fmt: skip
        return await hold_human(bench, test, out=folder / "human", typing=Typed(*lines), show=shown.append), shown


def contents(folder: Path) -> Iterator[str]:
    """Names and texts of everything in a folder."""
    for path in sorted(folder.rglob("*")):
        yield path.name
        if path.is_file():
            yield path.read_text(encoding="utf-8")


# --- before and after the verdict -----------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_nothing_tells_before_the_verdict_and_everything_after(recording: Path, language: str) -> None:
    seen: list[str] = []

    def look() -> None:
        seen.extend(contents(recording / "human"))

    done, shown = await held(
        recording,
        language,
        "A: Hello?",
        "B：Hello?",
        0.3,
        look,
        "/verdict",
        look,
        "x",
        "a",
        "80%",
        "2",
        "warm",
        answer=failing,
    )

    assert len(seen) > 4, "the folder was looked into"
    assert not [text for text in seen if TELLING.search(text)]
    assert not any(TELLING.search(text) for text in shown), "nor on the screen"
    assert done.key is not None
    assert {seat.kind for seat in done.key.seats.values()} == {"witness", "recorded"}
    assert done.folder.opened() is not None
    assert done.judgement == Judgement(human="A", confidence=0.8, reason="socio_emotional", words="warm")
    assert done.folder.info().commitment == done.key.commitment()
    assert any("ServerFailed" in why for why in done.folder.opened().failures[done.key.letter_of_witness()])  # type: ignore[union-attr]
    assert "secret-witness" in told(done, language)
    assert f"{done.key.letter_of_witness()}: {line('silence', language)}" in shown


def failing(asked: Asked) -> str:
    if asked.text == line("warm", "zh" if asked.persona.language == "zh" else "en"):
        return "Yes."
    raise ServerFailed(f"the engine behind {asked.persona.name} is down")


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_one_who_leaves_leaves_no_key(recording: Path, language: str) -> None:
    for lines in ((), ("A: Hi", "/quit"), ("A: Hi", "/verdict", "A", "/quit"), ("A: Hi", "/verdict", "A", "90")):
        done, _ = await held(recording, language, *lines)
        assert done.key is None
        assert told(done, language) == line("abandoned", language)
        assert not (done.folder.path / "key.json").exists()
        assert done.folder.judgement() == Judgement(ended="abandoned")
    assert not [text for text in contents(recording / "human") if TELLING.search(text)]
    results = human_results(recording / "human")
    assert (results.sessions, len(results.left_out)) == (0, 4)


async def test_an_interrupt_ends_a_session_cleanly(recording: Path) -> None:
    task = asyncio.create_task(held(recording, "en", "A: Hello?", 30.0, seconds=20))
    while not list((recording / "human").glob("*/lines.jsonl")):  # noqa: ASYNC110 - a file tells no event
        await asyncio.sleep(0.02)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    session = sessions_in(recording / "human")[0]
    assert session.judgement() == Judgement(ended="abandoned")
    assert session.opened() is None
    assert [one.text for one in session.lines()] == ["Hello?"]
    assert not [text for text in contents(recording / "human") if TELLING.search(text)]


async def test_the_order_is_drawn_anew_each_time() -> None:
    first, second = Seat(kind="witness", name="w"), Seat(kind="person", name="p")
    letters = {Key.drawn(first, second).letter_of_witness() for _ in range(60)}
    assert letters == {"A", "B"}
    one = Key.drawn(first, second)
    turned = one.model_copy(update={"seats": {"A": one.seats["B"], "B": one.seats["A"]}})
    assert one.commitment() != turned.commitment(), "the commitment binds"
    assert one.commitment() != one.model_copy(update={"nonce": "0" * 64}).commitment(), "and hides"


# --- time -----------------------------------------------------------------------------------------------------------


class Taking:
    """A channel that takes so long."""

    def __init__(self, seconds: float, text: str = "x") -> None:
        self.seconds, self.text, self.asked = seconds, text, 0

    async def answer(self, text: str, seconds: float) -> str:
        del text, seconds
        self.asked += 1
        await asyncio.sleep(self.seconds)
        return self.text

    async def close(self) -> None:
        """Nothing."""


def room(tmp_path: Path, a: Taking, b: Taking, shown: list[tuple[str, str, float]], **more: float) -> Room:
    key = Key.drawn(Seat(kind="witness", name="w"), Seat(kind="person", name="p"))
    folder = SessionFolder(tmp_path / "session")
    folder.begin(
        SessionInfo(
            id="x", commitment=key.commitment(), language="en", minutes=1, seed=3, started_at="2026-01-01T00:00:00"
        )
    )
    channels: dict[Letter, Taking] = {"A": a, "B": b}
    schedule = Schedule(Pacing(), 3, 0.3)
    return Room(
        channels,
        key,
        schedule,
        folder,
        lambda letter, text: shown.append((letter, text, time.monotonic())),
        **more,  # type: ignore[arg-type]
    )


async def test_fast_and_slow_are_released_at_the_same_time(tmp_path: Path) -> None:
    shown: list[tuple[str, str, float]] = []
    one = room(tmp_path, Taking(0.0, "quick " * 200), Taking(0.15, "slow"), shown)
    for number in (1, 2):
        began = time.monotonic()
        await one.say("A", "Hello?")
        await one.say("B", "Hello?")
        await one.settled()
        delays = [at - began for _, _, at in shown[-2:]]
        due = one.schedule.delay(number)
        assert all(due - 0.01 <= delay < due + 1 for delay in delays), "a busy machine is late for both"
        assert abs(delays[0] - delays[1]) < 0.12
    await one.abandon()


async def test_who_is_not_ready_is_silent_and_as_late_as_the_other(tmp_path: Path) -> None:
    shown: list[tuple[str, str, float]] = []
    slow = Taking(30.0)
    one = room(tmp_path, Taking(0.0, "here"), slow, shown)
    await one.say("A", "Hello?")
    await one.say("B", "Hello?")
    await one.settled()
    assert [(letter, text) for letter, text, _ in sorted(shown)] == [("A", "here"), ("B", "")]
    assert abs(shown[0][2] - shown[1][2]) < 0.12
    assert one.answered() == {"A": 1, "B": 0}
    await one.say("B", "Still there?")
    await one.settled()
    assert slow.asked == 2, "silence does not end a channel"
    opened = await one.judge(Judgement(human="A", reason="style"))
    assert opened == one.key
    stored = one.folder.opened()
    assert stored is not None
    assert stored.failures["B"] == ("not ready in time",) * 2
    with pytest.raises(RunError, match="a verdict already"):
        one.folder.judge(Judgement(human="B"))


def test_the_time_of_release_knows_neither_channel_nor_text() -> None:
    schedule = Schedule(Pacing(), 11)
    delays = [schedule.delay(number) for number in range(1, 40)]
    assert delays == [Schedule(Pacing(), 11).delay(number) for number in range(1, 40)]
    assert all(LEAST_S <= one <= MOST_S for one in delays)
    assert len(set(delays)) > 20
    assert [Schedule(Pacing(), 12).delay(number) for number in range(1, 40)] != delays
    assert Schedule(Pacing(), 1, 2.0).delay(1) <= 4.0


async def test_the_time_limit_counts_from_the_first_message(recording: Path) -> None:
    done, shown = await held(recording, "en", 0.4, "A: Hello?", 30.0, "B: too late", "B", "60", "4", "", minutes=0.005)
    assert line("over", "en") in shown
    # The verdict is asked for, and what was typed for a channel is no answer to that.
    assert (
        any(line("again", "en", expected="A / B", given="'B: too late'") == text for text in shown) or done.key is None
    )


async def test_a_message_after_the_end_is_not_said(tmp_path: Path) -> None:
    shown: list[tuple[str, str, float]] = []
    one = room(tmp_path, Taking(0.0), Taking(0.0), shown, seconds=0.2)
    assert await one.say("A", "Hello?")
    assert not await one.say("A", "And?")
    await one.abandon()


def test_both_sides_look_alike_on_the_screen() -> None:
    assert plain("Two\n\nlines\tand \x1b[31mred\x07") == "Two lines and [31mred"
    assert len(plain("x" * 9000)) == 2000


# --- the person -----------------------------------------------------------------------------------------------------


async def test_a_person_joins_by_the_code_and_answers(tmp_path: Path) -> None:
    channel = PersonChannel("Answer as yourself.", "zh")
    await channel.listen(tmp_path / JOIN)
    assert (tmp_path / JOIN).stat().st_mode & 0o077 == 0 or os.name == "nt"
    port, code = read_note(tmp_path / JOIN)
    heard: list[object] = []

    async def ask(text: str, seconds: float) -> str | None:
        heard.append((text, seconds))
        if text == "slow":
            await asyncio.sleep(30)
        return f"我说{text}"

    with pytest.raises(RunError, match="the code is wrong"):
        await join(port, "0000", ask=ask, tell=heard.append)
    side = asyncio.create_task(join(port, code, ask=ask, tell=heard.append))
    await channel.joined(5)
    assert not (tmp_path / JOIN).exists(), "nobody else can come"
    assert await channel.answer("你好", 20.0) == "我说你好"
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(channel.answer("slow", 0.2), 0.2)
    assert await channel.answer("again", 20.0) == "我说again"
    with pytest.raises(RunError, match="joined already"):
        await join(port, code, ask=ask, tell=heard.append)
    await channel.close()
    await channel.close()
    await asyncio.wait_for(side, 5)
    assert [one["type"] for one in heard if isinstance(one, dict)] == ["welcome", "late", "end"]
    with pytest.raises(RunError, match="no human test at port"):
        await join(port, code, ask=ask, tell=heard.append)


async def test_a_person_who_leaves_is_silent(tmp_path: Path) -> None:
    channel = PersonChannel("", "en")
    await channel.listen(tmp_path / JOIN)
    port, code = read_note(tmp_path / JOIN)

    async def ask(text: str, seconds: float) -> str | None:
        del text, seconds
        return None

    side = asyncio.create_task(join(port, code, ask=ask, tell=lambda _: None))
    await channel.joined(5)
    shown: list[tuple[str, str, float]] = []
    one = room(tmp_path, Taking(0.0, "here"), Taking(0.0), shown)
    one.channels = {"A": Taking(0.0, "here"), "B": channel}
    await one.say("A", "Hello?")
    await one.say("B", "Hello?")
    await one.settled()
    await asyncio.wait_for(side, 5)
    assert {(letter, text) for letter, text, _ in shown} == {("A", "here"), ("B", "")}
    assert abs(shown[0][2] - shown[1][2]) < 0.12, "gone at once, and yet no sooner"
    await one.abandon()


async def test_nobody_joins(tmp_path: Path) -> None:
    async with Bench(load(start=tmp_path, environ={}), model=ScriptedModel("Hm.")) as bench:
        test = HumanTest(persona="ada", witness="eliza", wait_s=0.1)
        with pytest.raises(RunError, match="Nobody joined"):
            await hold_human(bench, test, out=tmp_path / "human", typing=Typed(), show=lambda _: None)
    assert not list((tmp_path / "human").iterdir()), "the note is gone, and no session was begun"
    with pytest.raises(RunError, match="No human test is waiting"):
        read_note(tmp_path / "human" / JOIN)


async def test_a_witness_that_is_down_is_told_before_the_session(recording: Path) -> None:
    def down(asked: Asked) -> str:
        raise ServerFailed("down")

    with pytest.raises(ServerFailed):
        await held(recording, "en", "A: Hi", answer=down)
    assert not (recording / "human").exists()


# --- recordings -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("language", "pairs", "asked", "expected"),
    [
        (
            "en",
            [("What do you do?", "I bake."), ("Do you like rain?", "On tin roofs.")],
            "do you like the rain",
            "On tin roofs.",
        ),
        ("zh", [("你做什么工作？", "我烤面包。"), ("你喜欢下雨吗？", "喜欢听。")], "喜欢下雨天吗", "喜欢听。"),
    ],
)
async def test_a_recording_answers_what_is_most_like_it(
    language: str, pairs: Sequence[tuple[str, str]], asked: str, expected: str
) -> None:
    channel = RecordedChannel(pairs, load_packs().get(language))
    assert await channel.answer(asked, 1.0) == expected
    assert await channel.answer(asked, 1.0) == pairs[0][1], "each reply once"
    with pytest.raises(RunError, match="was said"):
        await channel.answer(asked, 1.0)


def test_what_was_not_recorded_is_said(recording: Path) -> None:
    name, pairs = recorded_pairs(recording / "recorded-zh")
    assert (name, len(pairs)) == ("speaking", 8)
    with pytest.raises(RunError, match="no witness 'x'"):
        recorded_pairs(recording / "recorded-zh", "x")
    with pytest.raises(RunError, match="Nothing that was said"):
        recorded_pairs(recording / "nothing")


# --- results --------------------------------------------------------------------------------------------------------


def session(
    folder: Path,
    number: int,
    *,
    right: bool,
    reason: str = "style",
    forged: bool = False,
    mute: bool = False,
    other: Seat = Seat(kind="person", name="person"),  # noqa: B008 - frozen
) -> None:
    """A session that was held."""
    key = Key.drawn(Seat(kind="witness", name="harness"), other, persona="ada")
    one = SessionFolder(folder / f"s{number}")
    info = SessionInfo(
        id=f"s{number}", commitment=key.commitment(), language="en", minutes=5, seed=1, started_at="2026-01-01"
    )
    one.begin(info)
    rows = [("A", "judge", "Hi"), ("A", "other", "Hello"), ("B", "judge", "Hi"), ("B", "other", "" if mute else "Hey")]
    (one.path / "lines.jsonl").write_text(
        "".join(json.dumps({"at": 1.0, "channel": c, "who": w, "text": t}) + "\n" for c, w, t in rows), encoding="utf-8"
    )
    chosen = key.letter_of_other() if right else key.letter_of_witness()
    one.judge(Judgement(human=chosen, confidence=0.9 if right else 0.6, reason=reason))
    if forged:
        # Whoever changes the key after the verdict is found out by the commitment.
        key = key.model_copy(update={"seats": {"A": key.seats["B"], "B": key.seats["A"]}})
    (one.path / "key.json").write_text(json.dumps({"key": key.model_dump()}), encoding="utf-8")


def test_results_count_what_was_held_to_its_end(tmp_path: Path) -> None:
    for number in range(12):
        session(tmp_path, number, right=number < 10, reason="style" if number % 2 else "knowledge")
    session(tmp_path, 20, right=True, forged=True)
    session(tmp_path, 21, right=True, mute=True)
    (tmp_path / "s22").mkdir()
    (tmp_path / "s22" / "session.json").write_text("{}", encoding="utf-8")

    session(tmp_path, 23, right=True)
    newer = tmp_path / "s23" / "session.json"
    newer.write_text(newer.read_text(encoding="utf-8").replace('"format": 1', '"format": 2'), encoding="utf-8")

    found = human_results(tmp_path)

    assert (found.right.passed, found.right.total) == (10, 12)
    assert (found.right.low, found.right.high) == pytest.approx((0.552, 0.953), abs=0.001)
    assert found.p == pytest.approx(0.0386, abs=0.0005)
    assert (found.taken["harness"].passed, found.taken["harness"].total) == (2, 12)
    assert {name: (one.sessions, one.right) for name, one in found.reasons.items()} == {
        "style": (6, 5),
        "knowledge": (6, 5),
    }
    assert (found.sure_right, found.sure_wrong) == pytest.approx((0.9, 0.6))
    whys = dict(found.left_out)
    assert "of format 2" in whys["s23"]
    assert "does not fit the commitment" in whys["s20"]
    assert "never said anything" in whys["s21"]
    assert "cannot be read" in whys["s22"]
    run = runner("blindtest", "human", "results")
    shown = run(str(tmp_path)).stdout
    assert "10 of 12 = 83%" in shown
    assert "not counted: s20" in shown
    assert json.loads(run(str(tmp_path), "--json").stdout)["sessions"] == 12
    assert "no session of a human test" in run(str(tmp_path / "none"), code=2).output


def test_nobody_is_right_about_two_machines(tmp_path: Path) -> None:
    person = Seat(kind="recorded", name="person", about={"of": "person"})
    for number in range(6):
        session(tmp_path, number, right=number < 5, other=person)
    machine = Seat(kind="recorded", name="bare", about={"of": "witness"})
    named = Seat(kind="recorded", name="person", about={"of": "witness"})  # a run may call its witness so
    for number in range(10, 14):
        session(tmp_path, number, right=number > 10, other=machine)
    session(tmp_path, 14, right=True, other=named)

    found = human_results(tmp_path)

    assert found.sessions == 11
    assert (found.right.passed, found.right.total) == (5, 6)
    assert found.p == pytest.approx(0.21875)
    assert found.taken["harness"].total == sum(one.sessions for one in found.reasons.values()) == 6
    assert [(*names, share.passed, share.total) for *names, share in found.machines] == [
        ("harness", "bare", 1, 4),
        ("harness", "person", 0, 1),
    ]
    shown = runner("blindtest", "human")("results", "--out", str(tmp_path)).stdout
    assert "5 of 6 = 83%" in shown
    assert "harness rather than bare, a machine too, was taken for the human being in 1 of 4" in shown


def test_without_a_person_there_is_no_p(tmp_path: Path) -> None:
    session(tmp_path, 1, right=True, other=Seat(kind="recorded", name="bare", about={"of": "witness"}))
    shown = runner("blindtest", "human", "results")(str(tmp_path)).stdout
    assert "against chance" not in shown
    assert "1 session" in shown


def test_a_key_is_not_opened_before_the_verdict(tmp_path: Path) -> None:
    from harness.blindtest.human.saved import Opened

    key = Key.drawn(Seat(kind="witness", name="w"), Seat(kind="person", name="p"))
    one = SessionFolder(tmp_path / "s")
    one.begin(SessionInfo(id="s", commitment=key.commitment(), language="en", minutes=5, seed=1, started_at="2026"))
    with pytest.raises(RunError, match="no verdict yet"):
        one.open(Opened(key=key))
    one.judge(Judgement(ended="abandoned"))
    with pytest.raises(RunError, match="no verdict yet"):
        one.open(Opened(key=key))


# --- the commands ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_command_with_a_recording(recording: Path, monkeypatch: pytest.MonkeyPatch, language: str) -> None:
    monkeypatch.chdir(recording)
    run = runner("blindtest", "human")
    arguments = ["--persona", PERSONAS[language], "--witness", "eliza", "--recorded", f"recorded-{language}"]
    said = "A: hm?\nB: hm?\nnobody\n/time\n/verdict\nA\n75\nstyle\n\n"
    shown = run(*arguments, "--seconds", "0.1", stdin=said).stdout
    assert line("form", language) in shown
    assert "eliza" in shown.splitlines()[-1]
    assert "eliza" not in "\n".join(shown.splitlines()[:-1])
    assert human_results(recording / "human").sessions == 1
    assert line("abandoned", language) in run(*arguments, "--seconds", "0.1", stdin="A: hm?\n").stdout
    assert "Expected a character" in run(code=2).output
    assert "up to 240 minutes" in run(*arguments, "--minutes", "0", code=2).output
    assert "nope is no pacing: No such file" in run(*arguments, "--pace", "nope", code=2).output
    assert line("machines", language) in shown.splitlines()[-1]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_an_engine_whose_model_is_down_looks_silent(
    recording: Path, monkeypatch: pytest.MonkeyPatch, language: str
) -> None:
    monkeypatch.chdir(recording)

    def answer(request: Received) -> Answer:
        return Answer(status=500) if "hm?" in str(request.body["messages"][-1]["content"]) else Answer("Yes. 是的。")

    with ServerThread(ScriptedServer(answer)) as server:
        result = runner("blindtest", "human")(
            "--persona", PERSONAS[language], "--recorded", f"recorded-{language}", "--seconds", "4",
            "--set", f"provider.base_url={server.base_url}", "--set", "models.responder=test-model",
            stdin="A: hm?\nB: hm?\n/verdict\nA\n75\n1\n\n",
        )  # fmt: skip
        assert any("hm?" in str(one.body["messages"][-1]["content"]) for one in server.requests), "the engine was asked"
    before = result.output.splitlines()[:-1]
    assert len([one for one in before if one.endswith(line("silence", language))]) == 1
    assert not [one for one in before if TELLING.search(one)]


def start(*arguments: str, cwd: Path) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
    return subprocess.Popen(
        [sys.executable, "-m", "harness", "blindtest", "human", *arguments],
        cwd=cwd, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        encoding="utf-8",
    )  # fmt: skip


def ended(process: subprocess.Popen[str]) -> str:
    """The rest of its output; a process that does not end by itself is killed."""
    try:
        return process.communicate(timeout=60)[0]
    finally:
        if process.poll() is None:
            process.kill()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_two_terminals(tmp_path: Path, language: str) -> None:
    """The judge and the person in programs of their own."""
    judge = start("--persona", PERSONAS[language], "--witness", "eliza", "--seconds", "1.5", cwd=tmp_path)
    person = start("join", cwd=tmp_path)
    assert judge.stdin is not None
    assert judge.stdout is not None
    assert person.stdin is not None
    person.stdin.write("我在这儿\n")
    person.stdin.flush()
    assert "join" in judge.stdout.readline()
    assert judge.stdout.readline()
    judge.stdin.write("A: hello\nB: hello\n/verdict\n")
    judge.stdin.flush()
    replies = [judge.stdout.readline().strip() for _ in range(2)]
    letters = {text[:1] for text in replies if "我在这儿" in text}
    judge.stdin.write(f"{next(iter(letters), 'A')}\n90\n1\n\n")
    judge.stdin.flush()
    assert line("right", language) in ended(judge)
    assert line("end", language) in ended(person)
    results = human_results(tmp_path / "human")
    assert (results.right.passed, results.right.total) == (1, 1)
    name, pairs = recorded_pairs(tmp_path / "human")
    assert (name, pairs) == ("person", (("hello", "我在这儿"),))


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_leaves_nothing_that_tells(recording: Path, number: signal.Signals) -> None:
    judge = start(
        "--persona", "ada", "--witness", "eliza", "--recorded", "recorded-en", "--seconds", "30", cwd=recording
    )
    assert judge.stdin is not None
    assert judge.stdout is not None
    judge.stdout.readline()
    judge.stdin.write("A: hello\n")
    judge.stdin.flush()
    until = time.monotonic() + 30
    while not list((recording / "human").glob("*/lines.jsonl")) and time.monotonic() < until:
        time.sleep(0.05)
    judge.send_signal(number)
    shown = ended(judge)
    assert judge.returncode != 0
    assert "Traceback" not in shown
    assert "eliza" not in shown
    assert sessions_in(recording / "human")[0].judgement() == Judgement(ended="abandoned")
    assert not [text for text in contents(recording / "human") if TELLING.search(text)]
