"""Those whom memory keeps apart, and what each of them tells: words of their own in every part that something is kept in.

All of them speak of the same things (a cat, Li Si's boss, a door code), so that whatever looks into the wrong place finds something.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from harness.adapters.embedders.hashing import HashEmbedder
from harness.app import Harness
from harness.diagnosing import diagnose
from harness.memory.scopes import asked_scope
from harness.ports import GraphFilter, MemoryFilter, MemoryQuery, ModelRequest
from harness.session import Session
from harness.settings import Loaded, load
from harness.state import ToolResult
from harness.state.memory import Scope
from harness.testing.scripted_model import ScriptedModel

PARTS = ("cat", "boss", "food", "code", "lost", "thing", "promise", "tool", "goal", "ruled", "note", "file")
HOLDS_EVERYWHERE = ("cat", "food")
"""What is about the user for long is minded in every project."""
_EN = dict(
    zip(PARTS, ["holm", "mora", "bin", "wick", "dell", "tov", "zan", "rith", "nup", "gar", "lond", "fesk"], strict=True)
)
_ZH = dict(zip(PARTS, ["霍", "拉", "宾", "维", "戴", "托", "赞", "里", "努", "加", "隆", "菲"], strict=True))
PERSONAS = {"en": ("mia", "ada"), "zh": ("lin", "tang")}


@dataclass(frozen=True, slots=True)
class Owner:
    """Somebody who tells something. ``mark`` begins all their words, in both languages; ``character``: which of the two."""

    name: str
    mark: tuple[str, str]
    user: str = "nora"
    character: int = 0
    project: str = "shop"
    world: str = "atlantis"

    def word(self, part: str, code: str) -> str:
        return self.mark[0] + _EN[part] if code == "en" else self.mark[1] + _ZH[part]

    def prefix(self, code: str) -> str:
        return self.mark[0] if code == "en" else self.mark[1]

    def names(self, code: str) -> dict[str, Any]:
        """Arguments to open a session of theirs."""
        return {
            "persona": PERSONAS[code][self.character],
            "user": self.user,
            "project": self.project,
            "world": self.world,
        }

    def session(self, which: str) -> str:
        return f"{self.name}-{which}"


OWNERS = (
    Owner("one", ("Skar", "斯卡")),
    Owner("other-user", ("Velk", "维洛"), user="paul"),
    Owner("other-character", ("Grel", "格雷"), character=1),
    Owner("other-project", ("Yost", "约斯"), project="bank"),
    Owner("other-world", ("Quim", "奥姆"), world="mars"),
)
TOLD = {
    "en": (
        "My cat is called {cat}.",
        "{boss} is Li Si's boss.",
        "I'm allergic to {food} nuts.",
        "Please remember that the door code is {code}.",
        "I am so sad, I lost my {lost} ring and cried all night.",
        "I bought a camera called {thing}.",
        "Will you bring me the {promise} map tomorrow?",
    ),
    "zh": (
        "我的猫叫{cat}。",
        "{boss}是李四的领导。",
        "我对{food}果过敏。",
        "请记住，门牌是{code}。",
        "我好难过，把{lost}戒指弄丢了，哭了一夜。",
        "我买了一台相机叫{thing}。",
        "你明天能把{promise}地图带给我吗？",
    ),
}
ASKED = {
    "en": (
        "What is my cat called?",
        "Who is Li Si's manager?",
        "Can you recommend a dessert with nuts?",
        "What is the door code?",
        "What did I lose?",
        "What is my camera called?",
        "What did you promise me about the map?",
        "What does the board say?",
    ),
    "zh": (
        "我的猫叫什么？",
        "李四的上级是谁？",
        "推荐一个有坚果的甜品吧？",
        "门牌是什么？",
        "我弄丢了什么？",
        "我的相机叫什么？",
        "你答应过我什么，关于地图的？",
        "牌子上写了什么？",
    ),
}
GOAL = {"en": "plan the {goal} tour", "zh": "安排{goal}之行"}
RULED = {"en": "the {ruled} road", "zh": "{ruled}那条路"}
NOTE = {"en": "The board at the door says {note}.", "zh": "门口的牌子上写着{note}。"}
FILE = {"en": "- The board in the hall says {file}.\n", "zh": "- 大厅的牌子上写着{file}。\n"}
TOOL = {"en": "line {n}: {tool} on the board", "zh": "第{n}行：牌子上有{tool}"}
PROMISED = {"en": "I will bring you the {} map tomorrow.", "zh": "我明天会把{}地图带给你。"}
FINE = {"en": "Mm.", "zh": "嗯。"}


def answering(code: str) -> ScriptedModel:
    """A character that promises what it is asked for, and else says nothing."""
    asked = re.compile(r"the (\w+) map tomorrow\?" if code == "en" else r"能把(\w+?)地图带给我")

    def answer(request: ModelRequest) -> str:
        last = next(message.content for message in reversed(request.messages) if message.role == "user")
        found = asked.search(last)
        return PROMISED[code].format(found[1]) if found else FINE[code]

    return ScriptedModel(answer)


def settings_for(folder: Path, overrides: Mapping[str, Any]) -> Loaded:
    """Everything that can keep something is on; summaries and artifacts come early."""
    chosen = {
        "harness.analysis": "rules",
        "harness.summarize_with": "rules",
        "harness.short_term_window": "2",
        "harness.summary_trigger_tokens": "50",
        "harness.tool_result_tokens": "30",
        "harness.max_revisions": "0",
        "harness.snapshot_every": "3",
        "harness.seed": "7",
        "memory.embedder": "hash",
        "short_term.backend": "sqlite",
        "storage.path": str(folder / "sessions.db"),
        "paths.memory": str(folder / "memory"),
        **overrides,
    }
    return load(start=folder, environ={}, overrides=chosen)


def words(owner: Owner, code: str) -> dict[str, str]:
    return {part: owner.word(part, code) for part in PARTS}


def write_files(folder: Path, code: str, owners: Iterable[Owner]) -> None:
    """A file of memory for what each owner has alone."""
    for owner in owners:
        first = OWNERS[0]
        place = "repo/shop"
        if owner.user != first.user:
            place = f"user/{owner.user}"
        elif owner.character:
            place = f"persona/{PERSONAS[code][owner.character]}"
        elif owner.project != first.project:
            place = f"repo/{owner.project}"
        elif owner.world != first.world:
            place = f"world/{owner.world}"
        else:
            continue
        path = folder / "memory" / f"{place}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(FILE[code].format(**words(owner, code)), encoding="utf-8")


async def talk(app: Harness, owner: Owner, code: str) -> None:
    """A session in which all is told, a task with a tool that says much, a note by hand, and a session that asks for all."""
    own, names = words(owner, code), owner.names(code)
    session = await app.open(session=owner.session("told"), **names)
    for text in TOLD[code]:
        await session.say(text.format(**own))
    await session.set_task(GOAL[code].format(**own), task_id=f"{owner.name}-task")
    await session.update_task(ruled_out=[RULED[code].format(**own)])
    board = "\n".join(TOOL[code].format(n=n, **own) for n in range(80))
    given = ToolResult(name="board", arguments=json.dumps({"at": "door"}), text=board)
    await session.say(ASKED[code][-1], tool_results=[given])
    info = await app.store().info(session.id)
    scope = Scope(persona=info.persona_ref.id, user=owner.user, project=owner.project, world=owner.world)
    await app.memories().note(NOTE[code].format(**own), scope=scope)
    again = await app.open(session=owner.session("asked"), **names)
    for text in ASKED[code]:
        await again.say(text)
    await session.settled()
    await again.settled()


async def seen_of(app: Harness, owner: Owner, code: str) -> dict[str, str]:
    """All that is there for an owner, by the part it is in: what their sessions hold, and what a query of theirs can find."""
    found: dict[str, str] = {}
    for which in ("told", "asked"):
        session = await app.open(session=owner.session(which), **owner.names(code))
        found |= {f"{which}: {part}": text for part, text in (await _of_session(app, session)).items()}
    info = await app.store().info(owner.session("asked"))
    scope = asked_scope(info, f"{owner.name}-task")
    where = MemoryFilter(scope=scope, statuses=())
    memory = app.memory_store()
    assert memory is not None
    found["items"] = _json(item.model_dump_json() for item in await memory.browse(where, limit=1000))
    vectors = [await HashEmbedder().query(text) for text in ASKED[code]]
    hits = [await memory.search(MemoryQuery(where, vector=vector, limit=1000)) for vector in vectors]
    found["vectors"] = _json(hit.item.model_dump_json() for each in hits for hit in each.hits)
    graph = app.graphs().graph
    found["graph"] = _json(
        edge.model_dump_json() for edge in await graph.browse(GraphFilter(scope=scope, hidden=True), limit=1000)
    )
    near = await graph.neighbours(["Li Si", "李四"], GraphFilter(scope=scope), depth=2)
    found["graph, from an entity all know"] = _json(one.edge.model_dump_json() for one in near)
    return found


async def _of_session(app: Harness, session: Session) -> dict[str, str]:
    branch, state = await session.branch(), await session.state()
    parts: dict[str, Sequence[Any]] = {
        "facts": state.facts,
        "entities": state.entities,
        "promises": state.commitments,
        "feelings": [record.operations for record in branch],
        "topics": [state.topics],
        "task": [state.task],
        "tools": state.tools,
        "summary": [state.summary],
        "state": [state],
        "prompts": [call.messages for record in branch for call in record.calls],
        "replies": [record.reply for record in branch],
        "context report": [record.context for record in branch],
        "written": [record.memory for record in branch],
        "records": branch,
        "diagnosis": [asdict(await diagnose(app, session.id))],
        "short-term": [asdict(one) for one in await app.short_term().recent(session.id)],
        "artifacts": [await session.artifact(ref) for ref in await app.artifacts().held(session.id)],
    }
    return {part: "\n".join(str(one) for one in values if one is not None) for part, values in parts.items()}


def _json(texts: Iterable[str]) -> str:
    return "\n".join(texts)


def leaks(owner: Owner, others: Iterable[Owner], seen: Mapping[str, str], code: str) -> list[str]:
    """Which parts of an owner's hold words of others, but for what holds of a user in every project."""
    found = []
    for other in others:
        if other == owner:
            continue
        same = replace(other, name=owner.name, mark=owner.mark, project=owner.project) == owner
        allowed = [other.word(part, code) for part in HOLDS_EVERYWHERE] if same else []
        foreign = [other.prefix(code), *([other.user] if other.user != owner.user else [])]
        for part, text in seen.items():
            left = re.sub("|".join(map(re.escape, allowed)), "", text, flags=re.IGNORECASE) if allowed else text
            found += [f"{part} of {owner.name} has {word!r}" for word in foreign if word.casefold() in left.casefold()]
    return found


EXPECTED: Mapping[str, tuple[str, ...]] = {
    "told: facts": ("cat", "food"),
    "told: entities": ("thing",),
    "told: promises": ("promise",),
    "told: task": ("goal", "ruled"),
    "told: tools": ("tool",),
    "told: artifacts": ("tool",),
    "told: short-term": ("promise",),
    "told: summary": ("cat",),
    "told: written": ("cat", "code", "lost"),
    "asked: prompts": ("cat", "boss", "food", "code", "lost", "thing", "promise", "note"),
    "asked: context report": ("cat", "boss", "food", "code", "lost", "thing", "promise", "note"),
    "told: replies": ("promise",),
    "asked: records": ("cat",),
    "items": ("cat", "boss", "food", "code", "lost", "thing", "promise", "note"),
    "vectors": ("cat", "boss", "food", "code", "lost", "thing", "promise", "note"),
    "graph": ("boss",),
    "graph, from an entity all know": ("boss",),
}
"""Part → what of an owner's own is in it: a part in which nothing is found would prove nothing."""


def missing(owner: Owner, seen: Mapping[str, str], code: str) -> list[str]:
    """What should be there of an owner's own and is not."""
    of_file = {} if owner == OWNERS[0] else {"asked: prompts": ("file",), "asked: context report": ("file",)}
    return [
        f"{part} of {owner.name} lacks {word}"
        for part, expected in (*EXPECTED.items(), *of_file.items())
        for word in expected
        if owner.word(word, code).casefold() not in seen[part].casefold()
    ]


async def talk_at_once(app: Harness, owners: Sequence[Owner], code: str) -> None:
    await asyncio.gather(*(talk(app, owner, code) for owner in owners))
