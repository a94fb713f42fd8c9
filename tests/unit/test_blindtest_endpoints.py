"""Witnesses at other endpoints: how they are named, and what they are sent."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.app_blindtest import Bench
from harness.blindtest.endpoints import Endpoint, read_endpoint
from harness.errors import RunError
from harness.settings import load
from harness.testing import ScriptedModel
from harness.testing.scripted_server import Answer, ScriptedServer

SUITES = {
    "en": ("ada", "What do you do?", "suite: there\nlanguage: en\nscripts: [{id: two, probe: detail, rounds: [{steps: [{say: Hello., expect: {mentions: nurse}}, {say: What do you do?, expect: {mentions: nurse}}]}]}]\n", "I'm a nurse."),
    "zh": ("lin", "你做什么工作？", "suite: there\nlanguage: zh\nscripts: [{id: two, probe: detail, rounds: [{steps: [{say: 你好。, expect: {mentions: 医生}}, {say: 你做什么工作？, expect: {mentions: 医生}}]}]}]\n", "我是医生。"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("other=http://127.0.0.1:9/v1", "other", Endpoint(url="http://127.0.0.1:9/v1")),
        (
            "their-bot=https://example.org/v1?a=b, model=m/x:1,key=THEIR_KEY,persona=no,history=1",
            "their-bot",
            Endpoint(url="https://example.org/v1?a=b", model="m/x:1", key="THEIR_KEY", persona=False, history=1),
        ),
    ],
)
def test_an_endpoint_is_read(text: str, name: str, expected: Endpoint) -> None:
    assert read_endpoint(text) == (name, expected)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("http://127.0.0.1:9/v1", "no = between"),
        ("=http://127.0.0.1:9/v1", "the name is missing"),
        ("other=ftp://there", "url cannot be read"),
        ("other=http://there,modell=x", "no option 'modell=x'"),
        ("other=http://there,history=-1", "history cannot be read"),
        ("other=http://there,persona=perhaps", "persona cannot be read"),
    ],
)
def test_what_is_no_endpoint_is_said(text: str, why: str) -> None:
    with pytest.raises(RunError, match=why) as caught:
        read_endpoint(text)
    assert "other=http://" in caught.value.remedy


@pytest.mark.parametrize("code", ["en", "zh"])
@pytest.mark.parametrize("persona", [True, False])
async def test_it_is_sent_what_was_agreed(tmp_path: Path, code: str, persona: bool) -> None:
    who, last, text, reply = SUITES[code]
    file = tmp_path / f"there.{code}.yaml"
    file.write_text(text, encoding="utf-8")
    async with (
        ScriptedServer(Answer(reply), models=["theirs"]) as server,
        Bench(load(start=tmp_path, environ={}), model=ScriptedModel("Hm.")) as bench,
    ):
        made = Endpoint(url=server.base_url, model="theirs", persona=persona, history=0 if persona else 1)
        bench.add_endpoints({"there": made})
        run = await bench.run([file], personas=[who], witness="there", against=["bare"], out=tmp_path / "run")
        assert run.info.witnesses["there"]["url"] == server.base_url
    bodies = [one.body for one in server.requests if "messages" in one.body]
    assert {body["model"] for body in bodies} == {"theirs"}
    roles = [message["role"] for message in bodies[-1]["messages"]]
    assert roles == (["system", "user", "assistant", "user"] if persona else ["user"])
    assert bodies[-1]["messages"][-1]["content"] == last
    assert run.results.witness("there").probes["all"].passed == 2


async def test_a_name_that_is_taken_is_refused(tmp_path: Path) -> None:
    async with Bench(load(start=tmp_path, environ={}), model=ScriptedModel("Hm.")) as bench:
        with pytest.raises(RunError, match="'bare' already"):
            bench.add_endpoints({"bare": Endpoint(url="http://127.0.0.1:9/v1")})
