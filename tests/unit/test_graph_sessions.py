"""Who stands how to whom is known in the next session: along the branch it was said on, and for nobody else."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Sequence
from datetime import UTC, datetime, timedelta

import pytest

from harness.adapters.graphs.ram import InProcessGraph
from harness.adapters.memories.ram import InProcessMemoryStore
from harness.app import Harness
from harness.errors import InputError, StoreError
from harness.ports import GraphFilter, MemoryFilter
from harness.session import Session
from harness.settings import load
from harness.state import TurnRecord
from harness.state.graph import Edge
from harness.state.memory import Scope
from harness.testing.scripted_model import ScriptedModel

PERSONAS = {"en": "mia", "zh": "lin"}
OTHERS = {"en": "ada", "zh": "tang"}
REPLY = {"en": "All right then.", "zh": "好，我知道了。"}
ALL = GraphFilter(everything=True, hidden=True)
NOW = datetime(2026, 6, 1, 9, tzinfo=UTC)

BOSS = {"en": "Zhang San is Li Si's boss. Li Si works at Tencent.", "zh": "张三是李四的领导，李四在腾讯上班。"}
BOSS_ASKED = {"en": "Who is Li Si's manager?", "zh": "李四的上级是谁？"}
BOSS_LINE = {"en": "Li Si's boss is Zhang San", "zh": "李四的领导是张三"}
WORK_LINE = {"en": "Li Si works at Tencent", "zh": "李四在腾讯上班"}


class Clocked:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.time = NOW

    def now(self) -> datetime:
        return self.time

    def monotonic(self) -> float:
        return 0.0


class Failing(InProcessGraph):
    """A graph that can be switched off."""

    down = False

    async def follow(
        self,
        session: str,
        turn_id: str | None,
        *,
        put: Sequence[Edge] = (),
        hide: Collection[str] = (),
        show: Collection[str] = (),
    ) -> None:
        if self.down:
            raise StoreError("The graph is down.")
        await super().follow(session, turn_id, put=put, hide=hide, show=show)

    async def touching(self, keys: Collection[str], where: GraphFilter, *, limit: int = 500) -> tuple[Edge, ...]:
        if self.down:
            raise StoreError("The graph is down.")
        return await super().touching(keys, where, limit=limit)


@pytest.fixture
def graph() -> Failing:
    return Failing()


@pytest.fixture
def clock() -> Clocked:
    return Clocked()


@pytest.fixture(params=["en", "zh"])
def code(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
async def harness(graph: Failing, clock: Clocked, code: str) -> AsyncIterator[Harness]:
    settings = load(
        environ={}, overrides={"storage.backend": "memory", "harness.analysis": "rules", "harness.background": "false"}
    )
    model = ScriptedModel(REPLY[code])
    async with Harness(settings, model=model, memory=InProcessMemoryStore(), graph=graph, clock=clock) as made:
        yield made


async def told(
    harness: Harness,
    code: str,
    *texts: str,
    session: str = "first",
    user: str = "nora",
    persona: str = "",
    project: str = "",
    world: str = "",
) -> Session:
    opened = await harness.open(persona or PERSONAS[code], session=session, user=user, project=project, world=world)
    for text in texts:
        await opened.say(text)
    await opened.settled()
    return opened


async def asked(
    harness: Harness, code: str, text: str, *, session: str = "second", user: str = "nora", persona: str = ""
) -> TurnRecord:
    return await (await told(harness, code, text, session=session, user=user, persona=persona)).report()


def edges(record: TurnRecord) -> list[str]:
    """What the graph gave the turn, in the order of the report."""
    layers = [layer for layer in record.context.layers if layer.layer == "L3" and layer.block == "memory"]
    return [item.text for layer in layers for item in layer.items if item.id.startswith("edge.") and not item.dropped]


def reached(record: TurnRecord) -> list[str]:
    """The same with those that memory says already in other words."""
    layers = [layer for layer in record.context.layers if layer.layer == "L3" and layer.block == "memory"]
    found = [item for layer in layers for item in layer.items if item.id.startswith("edge.")]
    return [item.text for item in found if not item.dropped or item.dropped.startswith("says what")]


def prompt(record: TurnRecord) -> str:
    return "\n".join(text for _, text in record.calls[0].messages)


async def seen(graph: Failing, *, hidden: bool = False) -> set[tuple[str, str, str]]:
    where = GraphFilter(everything=True, hidden=hidden)
    return {(one.subject, one.relation, one.object) for one in await graph.browse(where, limit=1000) if one.object}


async def test_the_boss_is_found_by_another_word_for_him(harness: Harness, code: str) -> None:
    await told(harness, code, BOSS[code])
    for session in ("first", "second"):
        record = await asked(harness, code, BOSS_ASKED[code], session=session)
        assert edges(record)[0] == BOSS_LINE[code]
        assert BOSS_LINE[code] in prompt(record)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ({"en": "Who are Zhang San's subordinates?", "zh": "张三的下属是谁？"}, BOSS_LINE),
        ({"en": "What has Zhang San to do with Tencent?", "zh": "张三和腾讯有什么关系？"}, WORK_LINE),
        ({"en": "Tell me about Zhang San.", "zh": "说说张三吧。"}, BOSS_LINE),
    ],
)
async def test_the_other_way_round_and_over_two_steps(
    harness: Harness, code: str, question: dict[str, str], answer: dict[str, str]
) -> None:
    await told(harness, code, BOSS[code])
    record = await asked(harness, code, question[code])
    assert answer[code] in reached(record)


async def test_another_user_and_another_character_know_nothing_of_it(
    harness: Harness, graph: Failing, code: str
) -> None:
    await told(harness, code, BOSS[code])
    for session, user, persona in (
        ("b", "paul", PERSONAS[code]),
        ("c", "nora", OTHERS[code]),
        ("d", "paul", OTHERS[code]),
    ):
        record = await asked(harness, code, BOSS_ASKED[code], session=session, user=user, persona=persona)
        assert edges(record) == []
        assert "Zhang San" not in prompt(record)
        assert "张三" not in prompt(record)
    assert {one.scope for one in await graph.browse(ALL)} == {Scope(persona=PERSONAS[code], user="nora")}


WORKS = {"en": ["Tom works at Google.", "Tom works at Apple now."], "zh": ["王芳在百度上班。", "王芳现在在华为上班。"]}
WORKS_ASKED = {"en": "Where does Tom work?", "zh": "王芳在哪儿上班？"}
WORKED_ASKED = {"en": "Where did Tom work before?", "zh": "王芳以前在哪儿上班？"}
OLD = {"en": "Tom works at Google (no longer, since 2026-06-11)", "zh": "王芳在百度上班（2026-06-11起不再是）"}
NEW = {"en": "Tom works at Apple", "zh": "王芳在华为上班"}


async def test_a_new_workplace_ends_the_old_one_from_another_session(
    harness: Harness, graph: Failing, clock: Clocked, code: str
) -> None:
    await told(harness, code, WORKS[code][0])
    clock.time += timedelta(days=10)
    await told(harness, code, WORKS[code][1], session="later")
    clock.time += timedelta(days=1)
    record = await asked(harness, code, WORKS_ASKED[code])
    assert edges(record) == [NEW[code]]
    assert sorted(edges(await asked(harness, code, WORKED_ASKED[code]))) == sorted([OLD[code], NEW[code]])
    who = NEW[code].split(" ", maxsplit=1)[0] if code == "en" else "王芳"
    where = GraphFilter(scope=Scope(persona=PERSONAS[code], user="nora"))
    then = await graph.neighbours([who], where, at=NOW + timedelta(days=5))
    assert [one.edge.object for one in then] == [{"en": "Google", "zh": "百度"}[code]]


USED_TO = {"en": "Tom used to work at Google, now he works at Apple.", "zh": "王芳以前在百度上班，现在在华为工作。"}


async def test_where_somebody_used_to_work_is_no_present_workplace(harness: Harness, code: str) -> None:
    await told(harness, code, USED_TO[code])
    assert edges(await asked(harness, code, WORKS_ASKED[code])) == [NEW[code]]
    past = edges(await asked(harness, code, WORKED_ASKED[code]))
    assert len(past) == 2
    assert any({"en": "Google", "zh": "百度"}[code] in text and "2026-06-01" in text for text in past)


async def test_undo_retry_and_fork_take_their_edges_along(harness: Harness, graph: Failing, code: str) -> None:
    session = await told(harness, code, {"en": "Hello.", "zh": "你好。"}[code], BOSS[code])
    there = await seen(graph)
    assert len(there) == 2
    await session.retry()
    await session.settled()
    assert await seen(graph) == there
    await session.undo()
    await session.settled()
    assert await seen(graph) == set()
    assert edges(await asked(harness, code, BOSS_ASKED[code])) == []
    last = (await session.timeline())[-1].record.id
    await session.goto(last)
    await session.settled()
    assert await seen(graph) == there
    fork = await session.fork("forked", number=1)
    other = await told(harness, code, WORKS[code][0], session=fork)
    assert len(await seen(graph)) == 3
    await other.undo()
    await other.settled()
    assert await seen(graph) == there


DENIED = [
    {"en": "Zhang San is not Li Si's boss.", "zh": "张三不是李四的领导。"},
    {"en": "Zhang San is no longer Li Si's boss.", "zh": "张三不再是李四的领导。"},
    {"en": "Li Si does not report to Zhang San.", "zh": "李四不向张三汇报。"},
    {"en": "Li Si no longer reports to Zhang San.", "zh": "李四不再归张三管。"},
    {"en": "Zhang San isn't Li Si's boss.", "zh": "张三并非李四的领导。"},
]


@pytest.mark.parametrize("denied", DENIED, ids=range(len(DENIED)))
async def test_what_is_denied_is_gone(harness: Harness, code: str, denied: dict[str, str]) -> None:
    session = await told(harness, code, BOSS[code], denied[code])
    assert reached(await asked(harness, code, BOSS_ASKED[code])) == [WORK_LINE[code]]
    await session.undo()
    await session.settled()
    assert edges(await asked(harness, code, BOSS_ASKED[code], session="third"))[0] == BOSS_LINE[code]


WRONG = [
    # What a friend dislikes, or where he works, is the friend's; who is only asked about gets no edge at all.
    (
        {"en": "My friend Tom works at Google.", "zh": "我的朋友小明在华为工作。"},
        {
            "en": {("user", "friend", "Tom"), ("Tom", "works_at", "Google")},
            "zh": {("user", "friend", "小明"), ("小明", "works_at", "华为")},
        },
    ),
    ({"en": "Do you know where Tom works?", "zh": "你知道小明在哪儿上班吗？"}, {"en": set(), "zh": set()}),
    (
        {"en": "My sister Anna lives in Leeds.", "zh": "我姐姐小红住在成都。"},
        {
            "en": {("user", "sibling", "Anna"), ("Anna", "lives_in", "Leeds")},
            "zh": {("user", "sibling", "小红"), ("小红", "lives_in", "成都")},
        },
    ),
    (
        {"en": "Tom's sister is Anna.", "zh": "小明的姐姐是小红。"},
        {"en": {("Tom", "sibling", "Anna")}, "zh": {("小明", "sibling", "小红")}},
    ),
    (
        {"en": "My boss is Anna.", "zh": "我的老板是王芳。"},
        {"en": {("user", "manager", "Anna")}, "zh": {("user", "manager", "王芳")}},
    ),
]


@pytest.mark.parametrize(("text", "found"), WRONG)
async def test_no_edge_is_on_the_wrong_person(
    harness: Harness, graph: Failing, code: str, text: dict[str, str], found: dict[str, set[tuple[str, str, str]]]
) -> None:
    await told(harness, code, text[code])
    assert await seen(graph) == found[code]


MINE = {"en": ["My boss is Anna.", "Anna works at Google."], "zh": ["我的老板是王芳。", "王芳在百度上班。"]}
MINE_ASKED = {"en": "Where does my boss work?", "zh": "我老板在哪儿上班？"}
MINE_LINES = {"en": ["Anna works at Google", "the user's boss is Anna"], "zh": ["王芳在百度上班", "用户的老板是王芳"]}


async def test_ones_own_people_are_found_by_what_they_are(harness: Harness, code: str) -> None:
    await told(harness, code, *MINE[code])
    assert sorted(edges(await asked(harness, code, MINE_ASKED[code]))) == sorted(MINE_LINES[code])


IDLE = {"en": "Lovely weather today, I will go for a walk.", "zh": "今天天气真好，我去散散步。"}


async def test_a_message_that_names_nobody_brings_nothing(harness: Harness, code: str) -> None:
    await told(harness, code, BOSS[code], *MINE[code])
    record = await asked(harness, code, IDLE[code])
    assert edges(record) == []


async def test_without_a_graph_that_answers_the_turn_goes_on_and_the_graph_catches_up(
    harness: Harness, graph: Failing, code: str
) -> None:
    graph.down = True
    session = await told(harness, code, BOSS[code])
    assert await seen(graph) == set()
    record = await (await told(harness, code, BOSS_ASKED[code])).report()
    assert any("graph is behind" in one for one in record.context.warnings)
    assert any("graph could not be read" in one for one in record.context.warnings)
    assert record.memory is not None
    graph.down = False
    await session.say(IDLE[code])
    await session.settled()
    assert len(await seen(graph)) == 2
    record = await (await told(harness, code, BOSS_ASKED[code])).report()
    assert record.context.warnings == ()
    assert edges(record)[0] == BOSS_LINE[code]


async def test_what_is_forgotten_is_gone_from_the_graph_and_not_learned_again(
    harness: Harness, graph: Failing, clock: Clocked, code: str
) -> None:
    session = await told(harness, code, BOSS[code])
    await told(harness, code, BOSS[code], session="his", user="paul")
    clock.time += timedelta(hours=1)
    await harness.memories().forget(MemoryFilter(scope=Scope(user="nora"), everything=True, statuses=()))
    assert {one.scope.user for one in await graph.browse(ALL)} == {"paul"}
    fork = await session.fork("forked")
    await told(harness, code, IDLE[code], session=fork)
    assert {one.scope.user for one in await graph.browse(ALL)} == {"paul"}


async def test_a_deleted_memory_leaves_the_graph(harness: Harness, graph: Failing, code: str) -> None:
    await told(harness, code, BOSS[code])
    memories = harness.memories()
    boss = [item async for item in memories.all() if item.attribute == "friend"]
    await memories.delete([boss[0].id])
    assert {relation for _, relation, _ in await seen(graph, hidden=True)} == {"works_at"}
    assert reached(await asked(harness, code, BOSS_ASKED[code])) == [WORK_LINE[code]]


async def test_a_graph_made_anew_from_the_journal_is_the_same(
    harness: Harness, graph: Failing, clock: Clocked, code: str
) -> None:
    said = [BOSS[code], *WORKS[code], USED_TO[code], DENIED[0][code], *MINE[code]]
    session = await told(harness, code, *said)
    await session.undo(2)
    await session.settled()
    await session.say(MINE[code][0])
    await session.settled()
    shown = list(await graph.browse(GraphFilter(everything=True), limit=1000))
    graph._edges.clear()
    graph._of.clear()
    graph._followed.clear()
    await told(harness, code, IDLE[code])
    remade = list(await graph.browse(GraphFilter(everything=True), limit=1000))
    assert remade == shown
    assert len(shown) >= 5


@pytest.mark.parametrize("place", [{"project": "shop"}, {"world": "atlantis"}])
async def test_what_belongs_to_a_project_or_world_stays_there(
    harness: Harness, code: str, place: dict[str, str]
) -> None:
    await told(harness, code, BOSS[code], **place)
    for session, other, found in (
        ("b", {}, []),
        ("c", dict.fromkeys(place, "bank"), []),
        ("d", place, [BOSS_LINE[code]]),
    ):
        record = await (await told(harness, code, BOSS_ASKED[code], session=session, **other)).report()
        assert edges(record)[:1] == found


HOME = {"en": ("I live in Oslo.", "Where do I live?"), "zh": ("我住在苏州。", "我住在哪里？")}


async def test_what_holds_for_long_of_the_user_holds_in_every_project(
    harness: Harness, graph: Failing, code: str
) -> None:
    said, _ = HOME[code]
    await told(harness, code, said, BOSS[code], project="shop")
    kept = {one.relation: one.scope.project for one in await graph.browse(ALL)}
    assert kept == {"lives_in": "", "manager": "shop", "works_at": "shop"}


async def test_a_deleted_session_takes_its_edges_along(harness: Harness, graph: Failing, code: str) -> None:
    await told(harness, code, BOSS[code])
    await told(harness, code, BOSS[code], session="second", user="paul")
    await harness.delete("first")
    assert {one.session for one in await graph.browse(ALL)} == {"second"}
    await harness.delete("second")
    assert await graph.browse(ALL) == ()


async def test_a_user_can_be_forgotten_in_the_graph_alone(harness: Harness, graph: Failing, code: str) -> None:
    await told(harness, code, BOSS[code])
    await told(harness, code, BOSS[code], session="his", user="paul")
    assert await harness.graphs().forget_user("nora") == 2
    assert {one.scope.user for one in await graph.browse(ALL)} == {"paul"}
    with pytest.raises(InputError, match="Nobody was named"):
        await harness.graphs().forget_user("")


@pytest.mark.parametrize(("setting", "value", "listed"), [("fields", "facts,notes", 1), ("enabled", "false", 0)])
async def test_the_layer_says_whether_edges_are_shown(
    graph: Failing, code: str, setting: str, value: str, listed: int
) -> None:
    overrides = {
        "storage.backend": "memory",
        "harness.analysis": "rules",
        "harness.background": "false",
        f"memory_l3.{setting}": value,
    }
    model = ScriptedModel([REPLY[code]] * 20)
    async with Harness(load(environ={}, overrides=overrides).settings, model=model, graph=graph) as harness:
        await told(harness, code, BOSS[code])
        record = await asked(harness, code, BOSS_ASKED[code])
    assert edges(record) == []
    layers = [layer for layer in record.context.layers if layer.layer == "L3"]
    reasons = {item.dropped for layer in layers for item in layer.items if item.id.startswith("edge.")}
    assert reasons == ({"the fields of L3 leave out graph"} if listed else set())
