"""``redaction.model_sees = "raw"``: the model that answers reads what was typed, and nothing else ever does."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from harness import Done, Failed, Token
from harness.adapters.models.restoring import Repeated, RestoringModel, as_typed
from harness.app import Harness
from harness.errors import BadRequest, ModelError
from harness.ports import ChatMessage, ModelDelta, ModelReply, ModelRequest
from harness.ports.models import Typed
from harness.settings import load
from harness.testing.scripted_model import ScriptedModel, echo
from harness.testing.scripted_server import ScriptedServer
from tests.unit.test_redaction_sessions import KEPT, PERSONAS, SAID, SECRETS, leaks, settings

RAW = {"redaction.model_sees": "raw"}


def sent(model: ScriptedModel, purpose: str = "respond") -> str:
    """All that was sent for a purpose."""
    return "\n".join(
        message.content for request in model.requests if request.purpose == purpose for message in request.messages
    )


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_the_model_reads_what_was_typed_and_no_file_has_it(
    code: str, tmp_path: Path, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    model = ScriptedModel(echo)  # it gives back all that it was told
    async with Harness(settings(tmp_path, **RAW, **{"log.level": "debug"}), model=model) as harness:  # type: ignore[arg-type]
        session = await harness.open(PERSONAS[code], session="one", user="nora")
        for text in SAID[code]:
            reply = await session.say(text)
            assert not [secret for secret in SECRETS if secret in reply.text]
        await session.settled()
        for text in SAID[code]:
            assert text in sent(model)
        branch = await session.branch()
        assert [record.user_text for record in branch] == KEPT[code]
        stored = "\n".join(record.model_dump_json() for record in branch)
        assert not [secret for secret in SECRETS if secret in stored]
        assert "as typed" in stored
        held = repr(await session.state()) + repr(branch)
        assert not [secret for secret in SECRETS if secret in held]
    assert leaks(tmp_path) == []
    output = "".join(capfd.readouterr()) + caplog.text
    assert not [secret for secret in SECRETS if secret in output]


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_an_earlier_message_is_told_with_its_references(code: str, tmp_path: Path) -> None:
    model = ScriptedModel("Good.")
    async with Harness(settings(tmp_path, **RAW), model=model) as harness:  # type: ignore[arg-type]
        session = await harness.open(PERSONAS[code], session="one")
        await session.say(SAID[code][0])
        await session.say({"en": "And the weather?", "zh": "天气怎么样？"}[code])
        last = "\n".join(message.content for message in model.requests[-1].messages)
        assert KEPT[code][0] in last
        assert SAID[code][0] not in last


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_by_default_the_model_reads_references(code: str, tmp_path: Path) -> None:
    model = ScriptedModel("Good.")
    async with Harness(settings(tmp_path), model=model) as harness:  # type: ignore[arg-type]
        session = await harness.open(PERSONAS[code], session="one")
        await session.say(SAID[code][0])
        assert KEPT[code][0] in sent(model)
        assert SAID[code][0] not in sent(model)
        assert model is await harness.model()


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_only_the_model_that_answers_reads_it(code: str, tmp_path: Path) -> None:
    model = ScriptedModel({"respond": echo, "turn_analysis": "{}", "*": "{}"})
    async with Harness(settings(tmp_path, **RAW, **{"harness.analysis": "combined"}), model=model) as harness:  # type: ignore[arg-type]
        session = await harness.open(PERSONAS[code], session="one")
        await session.say(SAID[code][0])
        await session.settled()
        assert KEPT[code][0] in sent(model, "turn_analysis")
        others = "\n".join(sent(model, purpose) for purpose in model.purposes if purpose not in ("respond", "revise"))
        assert not [secret for secret in SECRETS if secret in others]
    assert leaks(tmp_path) == []


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_a_stream_shows_no_secret_in_any_piece(code: str, tmp_path: Path) -> None:
    async with Harness(settings(tmp_path, **RAW), model=ScriptedModel(echo)) as harness:  # type: ignore[arg-type]
        session = await harness.open(PERSONAS[code], session="one")
        shown = ""
        async for event in session.stream(SAID[code][1]):
            assert not isinstance(event, Failed)
            shown += event.text if isinstance(event, Token) else ""
            if isinstance(event, Done):
                assert not [secret for secret in SECRETS if secret in event.reply.text]
        assert KEPT[code][1] in shown or "1]" in shown
        assert not [secret for secret in SECRETS if secret in shown]
    assert leaks(tmp_path) == []


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_an_error_that_gives_the_message_back_has_no_secret(code: str, tmp_path: Path) -> None:
    def refuse(request: ModelRequest) -> BadRequest:
        return BadRequest(f"I do not take {echo(request)!r}.", text=echo(request), body={"said": [echo(request)]})

    async with Harness(settings(tmp_path, **RAW), model=ScriptedModel(refuse)) as harness:  # type: ignore[arg-type]
        session = await harness.open(PERSONAS[code], session="one")
        with pytest.raises(ModelError) as caught:
            await session.say(SAID[code][2])
    told = f"{caught.value} {caught.value.details} {caught.value.args} {caught.getrepr()}"
    assert "1]" in told
    assert not [secret for secret in SECRETS if secret in str(caught.value) + str(caught.value.details)]
    assert caught.value.__cause__ is None
    assert leaks(tmp_path) == []


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_a_recording_has_references_and_can_be_replayed(code: str, tmp_path: Path) -> None:
    async with ScriptedServer(["Good."]) as server:
        more = {
            "provider.base_url": server.base_url,
            "models.responder": "m",
            "harness.seed": "5",
            "provider.record": str(tmp_path / "calls.jsonl"),
            **RAW,
        }
        async with Harness(settings(tmp_path, **more)) as harness:  # type: ignore[arg-type]
            session = await harness.open(PERSONAS[code], session="one")
            said = await session.say(SAID[code][1])
        asked = str([request.body for request in server.requests])
        assert any(secret in asked for secret in SECRETS)
    assert KEPT[code][1] in (tmp_path / "calls.jsonl").read_text("utf-8")
    assert leaks(tmp_path) == []
    again = {"provider.replay": str(tmp_path / "calls.jsonl"), "storage.path": str(tmp_path / "other.db"), **RAW}
    loaded = load(
        environ={}, overrides={"harness.analysis": "rules", "harness.background": "false", "harness.seed": "5", **again}
    )
    async with Harness(loaded) as harness:
        session = await harness.open(PERSONAS[code], session="one")
        assert (await session.say(SAID[code][1])).text == said.text


@pytest.mark.parametrize(
    ("secret", "forms"),
    [
        ("4111 1111 1111 1111", ("4111-1111-1111-1111", "4111111111111111", "４１１１１１１１１１１１１１１１")),
        ("hunter2", ("HUNTER2", "Hunter2")),
        ("１３８００１３８０００", ("138-0013-8000", "138 0013 8000")),
        ("11010519491231002X", ("11010519491231002x",)),
    ],
)
def test_a_secret_is_known_again_in_any_spelling(secret: str, forms: tuple[str, ...]) -> None:
    repeated = Repeated(Typed("[x 1]", secret, (("[x 1]", secret),)))
    for form in (secret, *forms):
        assert repeated.clean(f"It is {form}, yes.") == "It is [x 1], yes."
    assert repeated.clean("Nothing of it.") == "Nothing of it."


def test_only_the_last_place_of_the_message_is_restored() -> None:
    typed = Typed("pay [card 1]", "pay 4111", (("[card 1]", "4111"),))
    messages = (ChatMessage("user", "pay [card 1]"), ChatMessage("user", "Known: [card 1]. pay [card 1]"))
    told = as_typed(ModelRequest("responder", messages, typed=typed))
    assert [message.content for message in told.messages] == ["pay [card 1]", "Known: [card 1]. pay 4111"]
    assert told.typed is None
    assert "4111" not in repr(ModelRequest("responder", messages, typed=typed))


class _Letters(ScriptedModel):
    """Streams letter by letter."""

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelDelta, None]:
        text = echo(request)
        for letter in text:
            yield ModelDelta(text=letter)
        yield ModelDelta(reply=ModelReply(text))


async def test_a_secret_that_comes_letter_by_letter_is_held_back() -> None:
    typed = Typed("pay [card 1] now", "pay 4111-1111 now", (("[card 1]", "4111-1111"),))
    request = ModelRequest("responder", (ChatMessage("user", typed.told),), typed=typed)
    pieces = [piece async for piece in RestoringModel(_Letters()).stream(request)]
    assert "".join(piece.text for piece in pieces) == "pay [card 1] now"
    assert pieces[-1].reply is not None
    assert pieces[-1].reply.text == "pay [card 1] now"
