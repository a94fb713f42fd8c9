"""Secrets parted over fields, and the places beside the journal: files, logs, recordings, questions to an embedder."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
import structlog
from typer.testing import CliRunner

from harness import logs
from harness.adapters.embedders.hashing import HashEmbedder
from harness.adapters.memories.ram import InProcessMemoryStore
from harness.adapters.models.recording import RecordingModel, ReplayModel
from harness.app import Harness
from harness.cli.main import app as cli
from harness.language import load_packs
from harness.language.redaction import redactor
from harness.memory import MemoryFiles
from harness.ports import MemoryFilter, ModelRequest, Vector
from harness.redacting.fields import Fields
from harness.settings import Loaded, LogSettings, load
from harness.state import TaskState
from harness.state.memory import MemoryItem, Scope
from harness.state.operations import AssertFact, MentionEntity, PushTopic, ReviseFact, SetNote, SetTask
from harness.testing.scripted_model import ScriptedModel
from harness.testing.scripted_server import Answer, Received, ScriptedServer, ServerThread

CODES = pytest.mark.parametrize("code", ["en", "zh"])
PERSONAS = {"en": "mia", "zh": "lin"}
CARD = "4111 1111 1111 1111"
ATTRIBUTE = {"en": "wifi_password", "zh": "门锁密码"}
WORDS = {"en": "open wide sesame", "zh": "芝麻快开门"}
TOLD = {"en": "My password is Zx9hunter22", "zh": "我的密码是Zx9hunter22"}
REFERENCE = {"en": "[password 1]", "zh": "[密码 1]"}
SECRETS = ("Zx9hunter22", "Other33pw", CARD, CARD.replace(" ", ""), *WORDS.values())


def settings(folder: Path, **more: str) -> Loaded:
    return load(
        environ={},
        overrides={
            "storage.path": str(folder / "sessions.db"),
            "harness.analysis": "rules",
            "harness.background": "false",
            **more,
        },
    )


def leaks(folder: Path) -> list[tuple[str, str]]:
    found = []
    for file in folder.rglob("*"):
        content = file.read_bytes() if file.is_file() else b""
        for secret in SECRETS:
            forms = {secret.encode(), secret.lower().encode(), secret.encode("ascii", "backslashreplace")}
            found += [(file.name, secret) for form in forms if form in content]
            found += [(file.name, secret)] if secret in file.name else []
    return found


@CODES
async def test_a_field_says_what_the_other_is(code: str, tmp_path: Path) -> None:
    async with Harness(settings(tmp_path), model=ScriptedModel("Good.")) as harness:
        session = await harness.open(PERSONAS[code], session="s", user="nora")
        fact = {"subject": "user", "attribute": ATTRIBUTE[code], "speaker": "user", "turn": 0}
        await session.change([AssertFact(value="Zx9hunter22", **fact)])
        made = (await session.state()).facts[-1]
        assert made.value == REFERENCE[code]
        await session.change([ReviseFact(fact_id=made.id, value="Other33pw", speaker="user", turn=0)])
        assert (await session.state()).facts[-1].value == REFERENCE[code].replace("1", "2")
        await session.change([AssertFact(value=WORDS[code], **fact)])
        assert (await session.state()).facts[-1].value == REFERENCE[code].replace("1", "3")
        await session.change([SetNote(key=ATTRIBUTE[code], value=WORDS[code]), SetNote(key=f"k {CARD}", value="v")])
        state = await session.state()
        assert REFERENCE[code].replace("1", "3") in [note.value for note in state.notes if note.key == ATTRIBUTE[code]]
        assert [note for note in state.notes if note.key.startswith("k [")]
        await session.say({"en": "Nice day.", "zh": "天气真好。"}[code])
        await session.settled()
    assert leaks(tmp_path) == []


@CODES
async def test_what_one_field_tells_stands_in_no_other(code: str, tmp_path: Path) -> None:
    async with Harness(settings(tmp_path), model=ScriptedModel("Good.")) as harness:
        session = await harness.open(PERSONAS[code], session="s", user="nora")
        await session.change(
            [
                PushTopic(label="Zx9hunter22", turn=0, keywords=("x", "Zx9hunter22")),
                MentionEntity(name="Zx9hunter22", turn=0, aliases=(CARD,)),
                SetTask(task=TaskState(task_id="t", goal="use Zx9hunter22", done=("typed Zx9hunter22",))),
                AssertFact(subject="user", attribute="note", value="Zx9hunter22", quote=TOLD[code], speaker="user", turn=0),
            ]
        )  # fmt: skip
        state = await session.state()
        assert state.task is not None
        assert state.task.goal == f"use {REFERENCE[code]}"
        assert state.facts[-1].value == REFERENCE[code]
    assert leaks(tmp_path) == []


@CODES
@pytest.mark.parametrize("field", ["text", "value", "quote", "subject", "attribute", "speaker", "when", "key"])
async def test_no_field_of_an_imported_item_is_left_out(code: str, field: str, tmp_path: Path) -> None:
    item = MemoryItem(id="x", layer="L3", kind="note", text="Plain.", scope=Scope(user="nora"), language=code)
    async with Harness(settings(tmp_path), model=ScriptedModel("Good.")) as harness:
        memories = harness.memories()
        await memories.load([item.model_copy(update={field: TOLD[code]}).model_dump_json()])
        (kept,) = [one async for one in memories.all(MemoryFilter(everything=True, statuses=()))]
        assert REFERENCE[code] in str(getattr(kept, field)) or field == "key"
    assert leaks(tmp_path) == []


@CODES
async def test_an_imported_item_has_its_secret_in_no_field(code: str, tmp_path: Path) -> None:
    item = MemoryItem(
        id="x", layer="L3", kind="note", text=TOLD[code], value="Zx9hunter22", key="zx9hunter22", language=code
    )
    named = item.model_copy(
        update={"id": "y", "text": "Plain.", "attribute": ATTRIBUTE[code], "value": WORDS[code], "key": ""}
    )
    async with Harness(settings(tmp_path), model=ScriptedModel("Good.")) as harness:
        memories = harness.memories()
        await memories.load([item.model_dump_json(), named.model_dump_json()])
        kept = {one.id: one async for one in memories.all(MemoryFilter(everything=True, statuses=()))}
    assert (kept["x"].value, kept["y"].value) == (REFERENCE[code], REFERENCE[code])
    assert leaks(tmp_path) == []


def test_the_two_who_talk_keep_their_names() -> None:
    fields = Fields(redactor(load_packs()), "en")
    assert fields.text("the password is character") == "the password is [password 1]"
    assert fields.text("character") == "character"
    assert fields.text("the pin is 4829") == "the pin is [password 2]"
    assert fields.text("48290 and 4829, [password 1]") == "48290 and [password 2], [password 1]"


@CODES
async def test_a_heading_says_what_a_line_of_a_file_is(code: str, tmp_path: Path) -> None:
    heading = {"en": "Password", "zh": "密码"}[code]
    rule = {"en": "Ask before you change them.", "zh": "改之前先问一声。"}[code]
    (tmp_path / "global.md").write_text(f"# {heading}\n\n- Zx9hunter22\n- {rule}\n", encoding="utf-8")
    packs = load_packs()
    files = MemoryFiles(tmp_path, InProcessMemoryStore(), packs, redactor=redactor(packs))
    await files.refresh()
    texts = [item.text for item in await files.store.browse(MemoryFilter(everything=True, statuses=()))]
    assert sorted(texts) == sorted([REFERENCE["en" if "[p" in "".join(texts) else "zh"], rule])


class Listening(HashEmbedder):
    """Remembers what it was asked."""

    def __init__(self) -> None:
        super().__init__()
        self.heard: list[str] = []

    async def query(self, text: str) -> Vector:
        self.heard.append(text)
        return await super().query(text)

    async def passages(self, texts: Sequence[str]) -> Sequence[Vector]:
        self.heard += texts
        return await super().passages(texts)


@CODES
async def test_an_embedder_hears_no_secret(code: str, tmp_path: Path) -> None:
    embedder = Listening()
    async with Harness(settings(tmp_path), model=ScriptedModel("Good.")) as harness:
        memories = harness.memories()
        object.__setattr__(memories.shared, "embedder", embedder)
        note = await memories.note(TOLD[code], scope=Scope(user="nora"))
        found = await memories.search(TOLD[code], scope=Scope(user="nora"))
        assert [one.item.id for one in found.items if not one.dropped] == [note.id]
    assert embedder.heard
    assert not [text for text in embedder.heard if "Zx9hunter22" in text]


@CODES
async def test_a_recording_has_no_secret(code: str, tmp_path: Path) -> None:
    reply = {"en": f"Take {CARD}, and the password is Zx9hunter22.", "zh": f"用{CARD}，密码是Zx9hunter22。"}[code]
    record = tmp_path / "calls.jsonl"
    clean = redactor(load_packs())
    model = RecordingModel(ScriptedModel(reply), record, clean=lambda text: clean.redact(text, language=code).text)
    request = ModelRequest(role="responder", purpose="reply", messages=())
    assert (await model.complete(request)).text == reply
    async for _ in model.stream(request):
        pass
    assert leaks(tmp_path) == []
    assert REFERENCE[code] in (await ReplayModel(record).complete(request)).text


def test_a_harness_records_without_secrets(tmp_path: Path) -> None:
    harness = Harness(settings(tmp_path))
    assert harness._models.clean(f"Use {CARD}, call 555 123 4567.") == "Use [card 1], call 555 123 4567."
    off = Harness(settings(tmp_path, **{"redaction.enabled": "false"}))
    assert off._models.clean(CARD) == CARD


@CODES
def test_a_log_line_has_no_secret_in_any_part(code: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    kept = structlog.get_config()
    structlog.reset_defaults()
    try:
        harness = Harness(settings(tmp_path, **{"log.format": "json", "redaction.patterns": '{"badge": "B-[0-9]{5}"}'}))
        assert harness.settings.log == LogSettings(format="json")
        log = structlog.get_logger("test")
        try:
            int(TOLD[code])
        except ValueError as error:
            log.warning(
                "failed", said=TOLD[code], parts=[{"k": (TOLD[code], CARD)}], error=error, number=12, exc_info=True
            )
        log.warning("badge", badge="B-12345", made={TOLD[code]: 1}, empty=None)
    finally:
        structlog.configure(**kept)
        logs._with_words = None
    lines = [line for line in "".join(capfd.readouterr()).splitlines() if line.startswith("{")]
    assert len(lines) == 2
    assert json.loads(lines[0])["number"] == 12
    assert json.loads(lines[1])["empty"] is None
    assert not [word for word in (*SECRETS, "B-12345") if word in "".join(lines)]


@CODES
async def test_what_is_asked_after_the_reply_is_kept_without_secrets(code: str, tmp_path: Path) -> None:
    """The answers of the analysis, questions that give them back, and what the check quotes of a reply."""
    reply = {"en": f"Take {CARD}, the password is Zx9hunter22.", "zh": f"用{CARD}，密码是Zx9hunter22。"}[code]
    more = {"harness.analysis": "combined", "harness.background": "true"}
    async with Harness(settings(tmp_path, **more), model=ScriptedModel(reply)) as harness:
        session = await harness.open(PERSONAS[code], session="s", user="nora")
        for _ in range(2):
            await session.say({"en": "How do I get in?", "zh": "我怎么进去？"}[code])
            await session.settled()
        record = await session.report()
        assert [call for call in record.calls if call.purpose != "reply" and REFERENCE[code] in call.reply]
    assert leaks(tmp_path) == []


@CODES
async def test_said_once_more_in_a_message_it_is_known(code: str, tmp_path: Path) -> None:
    said = {"en": "{0}, yes, Zx9hunter22, not Zx9hunter22x.", "zh": "{0}，对，就是Zx9hunter22，不是Zx9hunter22x。"}[
        code
    ]
    async with Harness(settings(tmp_path), model=ScriptedModel("Good.")) as harness:
        session = await harness.open(PERSONAS[code], session="s")
        await session.say(said.format(TOLD[code]))
        assert (await session.report()).user_text == said.format(TOLD[code]).replace(
            "Zx9hunter22", REFERENCE[code]
        ).replace(f"{REFERENCE[code]}x", "Zx9hunter22x")


async def test_the_name_of_a_tool(tmp_path: Path) -> None:
    async with Harness(settings(tmp_path), model=ScriptedModel("Good.")) as harness:
        session = await harness.open("mia", session="s")
        (result,) = await session.observe([{"name": f"pay {CARD}", "arguments": {}, "text": "done"}])
        assert result.name == "pay [card 1]"
    assert leaks(tmp_path) == []


def reply_of_server(request: Received) -> Answer:
    del request
    return Answer("Good.")


@CODES
def test_by_hand_on_the_command_line(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Facts, notes, imports and tasks: neither a file nor what is shown has a secret."""
    shown = []
    item = MemoryItem(id="x", layer="L3", kind="note", text=TOLD[code], value="Zx9hunter22", scope=Scope(user="nora"))
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "one.jsonl").write_text(item.model_dump_json() + "\n", encoding="utf-8")
    with ServerThread(ScriptedServer(reply_of_server, models=("test-model",))) as running:
        monkeypatch.setenv("HARNESS_HOME", str(tmp_path / "home"))
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("HARNESS_PROVIDER_BASE_URL", running.base_url)
        monkeypatch.setenv("HARNESS_MODELS_RESPONDER", "test-model")
        monkeypatch.setenv("HARNESS_ANALYSIS", "rules")
        hello = {"en": "Hello there.", "zh": "你好呀。"}[code]
        for words in (
            ["say", "-p", PERSONAS[code], "-s", "a", "--user", "nora", hello],
            ["facts", "add", "a", "user", ATTRIBUTE[code], "Zx9hunter22"],
            ["facts", "edit", "a", ATTRIBUTE[code].replace("_", " "), "Other33pw"],
            ["facts", "add", "a", "user", ATTRIBUTE[code], WORDS[code]],
            ["memory", "note", TOLD[code], "--user", "nora"],
            ["memory", "import", str(tmp_path / "in" / "one.jsonl")],
            ["task", "set", "a", f"{TOLD[code]}, {CARD}"],
            ["say", "-s", "a", f"{TOLD[code]}, {CARD}"],
            ["show", "a"],
            ["facts", "list", "a", "--all"],
            ["memory", "list"],
            ["memory", "export", "-o", str(tmp_path / "home" / "memory.jsonl")],
            ["memory", "search", TOLD[code], "--user", "nora"],
            ["diagnose", "a"],
            ["sessions", "export", "a", "-o", str(tmp_path / "home" / "out.jsonl")],
        ):
            result = CliRunner().invoke(cli, words, catch_exceptions=False)
            assert result.exit_code == 0 or words[:2] == ["facts", "edit"], (words, result.output, result.exception)
            shown.append(result.output)
    assert leaks(tmp_path / "home") == []
    assert not [word for word in SECRETS if word in "".join(shown)]
