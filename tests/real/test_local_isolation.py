"""Conversations that are computed at the same time by one embedded server stay apart.

Every reply is compared with the same request's reply when nothing else ran: at temperature 0 it may differ in wording
by rounding, but nothing of another conversation may be in it, and the first token's log probability stays what it was
(rounding moves it by less than 0.3; a context that is not its own by several units).
"""

from __future__ import annotations

import concurrent.futures
import json
import re
import threading
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from harness.adapters.local import LocalModel, LocalServer, ServerOptions

pytestmark = [pytest.mark.real, pytest.mark.timeout(600)]

CJK = re.compile(r"[\u4e00-\u9fff]")
SCHEMA = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "pet": {"type": "string"}, "number": {"type": "string"}},
    "required": ["name", "pet", "number"],
}


@dataclass(frozen=True)
class Conversation:
    system: str
    questions: tuple[str, ...]
    own: tuple[str, ...]
    """What only this conversation knows."""

    @property
    def chinese(self) -> bool:
        return CJK.search(self.system) is not None


ENGLISH = ("What is your pet called?", "Where do you live?", "What do you do for work?")
CHINESE = ("你的宠物叫什么？", "你住在哪里？", "你做什么工作？")
CONVERSATIONS = (
    Conversation(
        "You are Mara Quill. You have a cat called Miso. You live at number 4719 in Bergen. You work as a bookbinder. "
        "Speak English, one short sentence.",
        ENGLISH,
        ("Quill", "Miso", "4719", "Bergen", "bookbind"),
    ),
    Conversation(
        "你是苏晴。你养了一只叫豆包的狗。你住在成都8263号。你是小学老师。只用中文，说一句短话。",
        CHINESE,
        ("苏晴", "豆包", "8263", "成都", "小学"),
    ),
    Conversation(
        "You are Mara Okoro. You have a parrot called Zephyr. You live at number 3058 in Lisbon. You work as a "
        "clockmaker. Speak English, one short sentence.",
        ENGLISH,
        ("Okoro", "Zephyr", "3058", "Lisbon", "clock"),
    ),
    Conversation(
        "你是周德海。你养了一只叫墨斗的鹦鹉。你住在哈尔滨6174号。你是退休电工。只用中文，说一句短话。",
        CHINESE,
        ("周德海", "墨斗", "6174", "哈尔滨", "电工"),
    ),
)


@dataclass(frozen=True)
class Reply:
    text: str
    first: str
    log_probability: float


@pytest.fixture(scope="module")
def server(model: LocalModel) -> Iterator[LocalServer]:
    with LocalServer(model.path, name="small", options=ServerOptions(context=1024)) as running:
        yield running


def open_chat(server: LocalServer, conversation: Conversation, question: str, **fields: Any) -> Any:
    messages = [{"role": "system", "content": conversation.system}, {"role": "user", "content": question}]
    body = {"messages": messages, "temperature": 0, "max_tokens": 24, "logprobs": True, "top_logprobs": 1} | fields
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {server.api_key}"}
    request = urllib.request.Request(f"{server.base_url}/chat/completions", json.dumps(body).encode(), headers)  # noqa: S310
    return urllib.request.urlopen(request, timeout=120)  # noqa: S310


def ask(server: LocalServer, conversation: Conversation, question: str, structured: bool) -> Reply:
    form = {"type": "json_schema", "json_schema": {"name": "facts", "strict": True, "schema": SCHEMA}}
    fields = {"response_format": form, "max_tokens": 64} if structured else {}
    with open_chat(server, conversation, question, **fields) as response:
        choice = json.loads(response.read())["choices"][0]
    first = choice["logprobs"]["content"][0]
    return Reply(choice["message"]["content"], first["token"], first["logprob"])


def start_and_leave(server: LocalServer, conversation: Conversation, question: str, lines: int) -> None:
    """Read so many lines of a stream, then close the connection."""
    with open_chat(server, conversation, question, stream=True) as response:
        for _ in range(lines):
            response.readline()


def foreign(reply: Reply, alone: Reply, conversation: Conversation) -> list[str]:
    """What is in the reply and can only come from elsewhere."""
    others = [word for other in CONVERSATIONS if other is not conversation for word in other.own]
    found = [word for word in others if word in reply.text and word not in conversation.system + alone.text]
    if not conversation.chinese:
        found += CJK.findall(reply.text)
    if reply.first == alone.first and abs(reply.log_probability - alone.log_probability) > 1:
        found.append(f"log probability {reply.log_probability:.2f} instead of {alone.log_probability:.2f}")
    return found


def requests_of(conversation: Conversation, times: int) -> list[tuple[str, bool]]:
    return [
        (question, bool((turn + place) % 2))
        for turn in range(times)
        for place, question in enumerate(conversation.questions)
    ]


@pytest.mark.parametrize("clients", [2, 4], ids=["as many as slots", "more than slots"])
def test_overlapping_conversations_stay_apart(server: LocalServer, clients: int) -> None:
    conversations = CONVERSATIONS[:clients]
    alone = {
        (c, question, structured): ask(server, c, question, structured)
        for c in conversations
        for question, structured in requests_of(c, 1)
    }
    together = threading.Barrier(clients)

    def converse(conversation: Conversation) -> list[tuple[str, str, list[str]]]:
        together.wait(30)
        crossed = []
        for number, (question, structured) in enumerate(requests_of(conversation, 1)):
            if number % 3 == 2:
                start_and_leave(server, conversation, question, lines=1 + number)
            reply = ask(server, conversation, question, structured)
            if strange := foreign(reply, alone[conversation, question, structured], conversation):
                crossed.append((question, reply.text, strange))
        return crossed

    with concurrent.futures.ThreadPoolExecutor(clients) as pool:
        crossed = [item for items in pool.map(converse, conversations) for item in items]
    assert crossed == []


def test_the_check_sees_what_crosses() -> None:
    mara, su = CONVERSATIONS[:2]
    alone = Reply("My pet is Miso.", "My", -0.1)
    assert foreign(alone, alone, mara) == []
    assert foreign(Reply("My pet is a dog named 豆包.", "My", -0.1), alone, mara) == ["豆包", "豆", "包"]
    assert foreign(Reply("我的宠物叫Miso。", "我", -0.1), Reply("我的宠物叫豆包。", "我", -0.1), su) == ["Miso"]
    assert foreign(Reply("My pet is Miso.", "My", -2.1), alone, mara) == ["log probability -2.10 instead of -0.10"]
