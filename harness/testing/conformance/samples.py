"""Valid sessions, records and states to store, in English and Chinese."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING

from harness.state.commitments import Commitment, CommitmentStatus
from harness.state.dialogue import DialogueState, Message, Note, Summary
from harness.state.emotion import Emotion
from harness.state.entities import Entity
from harness.state.facts import Fact, FactStatus
from harness.state.graph import Edge
from harness.state.memory import Scope
from harness.state.operations import (
    AddMessage,
    AssertFact,
    BeginTurn,
    CloseCommitment,
    DisputeFact,
    FinishTurn,
    MentionEntity,
    MergeEntities,
    MergeSubjects,
    ObserveTool,
    OpenCommitment,
    Operation,
    PinFact,
    PopTopic,
    PushTopic,
    RetractFact,
    ReturnTopic,
    ReviseFact,
    SetEmotion,
    SetNote,
    SetTask,
    Summarize,
    TouchTopic,
    UpdateTask,
)
from harness.state.persona import ExampleLine, Persona, PersonaFact, PersonaRef
from harness.state.record import (
    Applied,
    Candidate,
    ContextConflict,
    ContextReport,
    ContextWarning,
    Event,
    Finding,
    LayerReport,
    ModelCall,
    Notice,
    Rejected,
    Retrieved,
    SessionInfo,
    Timing,
    TurnRecord,
    Usage,
)
from harness.state.task import TaskState
from harness.state.tools import ToolResult
from harness.state.topics import Topic, TopicStack

if TYPE_CHECKING:
    from pydantic import BaseModel

NOON = datetime(2025, 3, 1, 12, 0, 0, 123456, tzinfo=UTC)
"""A moment with microseconds."""

EVENING_IN_SHANGHAI = datetime(2025, 3, 1, 20, 30, tzinfo=timezone(timedelta(hours=8)))

MOOD = Emotion(label="joy", valence=0.6, arousal=0.25, dominance=-0.1, cause="我的猫回来了 🐈", turn=2)

TASK = TaskState(
    task_id="trip",
    goal="Book a table for four, 靠窗",
    confirmed_facts=("four people",),
    done=("asked for the date",),
    todo=("call the restaurant",),
    ruled_out=("the place by the river",),
    artifacts=("booking-17",),
)

TOOL_RESULT = ToolResult(
    name="hotel_search",
    arguments='{"city": "杭州"}',
    text="{hotels[40]} · 湖畔居",
    error=True,
    id="r3",
    turn=2,
    at=NOON,
    task="trip",
    ref="0123456789abcdef",
    characters=5120,
    sha256="0123456789abcdef" * 4,
)

OPERATIONS: tuple[Operation, ...] = (
    BeginTurn(turn=2),
    AddMessage(message=Message(speaker="user", text="Hello 你好 👋🏽\nsecond line", turn=2, at=NOON)),
    AssertFact(
        subject="user",
        attribute="pet",
        value="一只叫团子的猫",
        polarity=False,
        speaker="user",
        turn=2,
        quote="我没有猫",
        single=True,
        language="zh",
        at=EVENING_IN_SHANGHAI,
        when="去年五月",
        when_at=NOON,
        degree=-1,
        importance=0.85,
    ),
    ReviseFact(
        fact_id="f1",
        value="Leeds",
        polarity=False,
        speaker="user",
        turn=2,
        quote="not Leeds",
        at=NOON,
        when="last May",
        when_at=NOON,
        degree=2,
        importance=0.0,
    ),
    RetractFact(fact_id="f2", turn=2, reason="taken back"),
    DisputeFact(fact_id="f3", turn=2, reason="the user denies it"),
    MergeSubjects(subject="茂琳", merged="用户的女朋友", turn=2),
    PinFact(fact_id="f1", pinned=False),
    PushTopic(label="cats", turn=2, entities=("e1",), keywords=("猫", "cat")),
    TouchTopic(turn=2, entities=("e1", "e2"), keywords=("vet",), label="the vet"),
    ReturnTopic(topic_id="t1", turn=2),
    PopTopic(turn=2),
    SetEmotion(who="user", emotion=MOOD),
    MentionEntity(name="第二家", turn=2, kind="place", aliases=("the second one",), speaker="user", ordinal=2),
    MergeEntities(entity_id="e1", merged_id="e2"),
    OpenCommitment(
        by="character", to="user", text="water the plants", turn=2, due="下周三", due_at=NOON, quote="I'll water them"
    ),
    CloseCommitment(commitment_id="c1", status=CommitmentStatus.kept, turn=2),
    SetTask(task=TASK),
    SetTask(task=None),
    UpdateTask(
        task_id="trip",
        goal="a quiet table",
        add_confirmed=("Friday",),
        add_done=("called",),
        add_todo=("confirm",),
        add_ruled_out=("Monday",),
        add_artifacts=("booking-18",),
    ),
    ObserveTool(result=TOOL_RESULT),
    Summarize(text="They greeted each other. 他们打了招呼。", first_turn=0, last_turn=1, keep_turns=1),
    SetNote(key="affinity", value="0.5"),
    SetNote(key="affinity", value=None),
    FinishTurn(turn=2),
)
"""One of every kind, every field set."""


def sample_edge(edge_id: str = "s1.t2.f1.0", **changes: object) -> Edge:
    """An edge with every field set."""
    edge = Edge(
        id=edge_id,
        relation="manager",
        subject="李四",
        object="张三",
        value="as said",
        subject_kind="person",
        object_kind="person",
        stance="ended",
        single=True,
        word="领导",
        valid_from=NOON,
        valid_to=EVENING_IN_SHANGHAI,
        scope=Scope(persona="xiaoyu", user="ann", session="s1", task="trip", project="org/shop", world="苏州"),
        at=NOON,
        session="s1",
        turn_id="t2",
        turn=2,
        speaker="user",
        quote="张三是李四的领导 🌸",
        language="zh",
        hidden=True,
    )
    return Edge.model_validate(_unpacked(edge, changes))


def sample_info(session_id: str = "s1", **changes: object) -> SessionInfo:
    """A session that was just started; ``changes`` replace its fields."""
    persona = Persona(
        name="林小雨",
        id="xiaoyu",
        language="zh",
        role="花店老板",
        biography="Grew up above the shop.\n\n在楼上长大。",
        voice="soft 🌸",
        habits=("hums",),
        knowledge=("flowers",),
        knowledge_limits=("nothing about cars",),
        never_says=("whatever",),
        examples=(ExampleLine(character="慢慢来。", user="我赶时间"), ExampleLine(character="Mm.")),
        facts=(PersonaFact(attribute="pet", value="no", polarity=False, statement="我没有宠物", aliases=("none",)),),
        aliases=("小雨",),
        baseline=MOOD,
        inertia=0.75,
        bot_question="deny",
        stage_directions=True,
        greeting="欢迎!",
    )
    reference = PersonaRef(id=persona.id, name=persona.name, digest=persona.digest())
    values = {
        "id": session_id,
        "persona_ref": reference,
        "persona": persona,
        "user": "ann",
        "project": "garden/花园",
        "world": "here",
        "title": "Flowers 花",
        "created_at": NOON,
        "updated_at": NOON,
    }
    return SessionInfo.model_validate(_unpacked(SessionInfo(**values), changes))


def sample_record(turn_id: str = "t1", parent: str | None = None, number: int = 1, **changes: object) -> TurnRecord:
    """A small finished turn."""
    values = {"id": turn_id, "parent": parent, "number": number, "user_text": f"say {turn_id}", "reply": "好的 👌"}
    return TurnRecord.model_validate({**values, **changes})


def full_record(turn_id: str = "t1", parent: str | None = None, number: int = 1) -> TurnRecord:
    """A turn with every field set and an operation of every kind."""
    finding = Finding(
        kind="contradiction",
        severity=0.75,
        evidence="my cat",
        fact_id="p:pet",
        turn=3,
        against="I have no pets",
        tier="model",
    )
    call = ModelCall(
        phase="respond",
        purpose="respond",
        role="responder",
        model="qwen",
        request_hash="0f" * 32,
        messages=(("system", "You are 林小雨."), ("user", '{x} {{ y }} "quoted" \\ back')),
        prefill="… I ",
        parameters='{"temperature": 0.7}',
        reply="have no pets.",
        finish_reason="length",
        usage=Usage(prompt=900, completion=12, cached=850, estimated=True),
        seconds=1.25,
        first_token_seconds=0.1,
        attempts=2,
        error="ServerFailed: 503",
    )
    item = Retrieved(id="m1", text="她喜欢牡丹", score=0.81, tokens=9, dropped="over the cap")
    return TurnRecord(
        id=turn_id,
        parent=parent,
        number=number,
        phase="record",
        origin="retry",
        user_text="But you said you have a cat? 你不是有只猫吗?",
        reply="我没有养宠物。",
        language="zh",
        operations=tuple(Applied(phase="extract_facts", operation=operation) for operation in OPERATIONS),
        rejected=(Rejected(phase="update_topic", operation=PopTopic(turn=9), reason="no topic is open"),),
        notices=(
            Notice(
                kind="contradiction",
                quote="you have a cat",
                claim="has a cat",
                fact_id="p:pet",
                truth="我没有宠物",
                attribute="pet",
                value="no",
                polarity=False,
                tier="classifier",
                confidence=0.9,
            ),
        ),
        candidates=(
            Candidate(text="My cat…", form="plain", findings=(finding,)),
            Candidate(text="没有。", form="json"),
        ),
        chosen=1,
        calls=(call,),
        context=ContextReport(
            layers=(
                LayerReport(
                    layer="L2",
                    block="exchanges",
                    injected=True,
                    tokens=40,
                    items=(item,),
                    cap=300,
                    retrieved=7,
                    threshold=0.2,
                    note="none fits",
                ),
            ),
            total_tokens=940,
            budget=3000,
            dropped=("m7: below the threshold",),
            conflicts=("L1 wins over L3: pet",),
            warnings=("tight",),
            resolved=(
                ContextConflict(
                    attribute="seat",
                    rule="newest_wins",
                    winner_layer="L3",
                    winner_id="m2",
                    winner_text="靠窗",
                    loser_layer="L1",
                    loser_id="f3",
                    loser_text="aisle",
                ),
            ),
            troubles=(ContextWarning(kind="budget_exceeded", layer="L0", text="tight"),),
            counted_by="estimate (cjk × 1.10)",
            order=("L0", "summary", "history", "L1", "L2", "L3"),
        ),
        events=(Event(phase="respond", kind="revised", message="made again"),),
        timings=(Timing(phase="respond", seconds=1.3),),
        started_at=NOON,
        replied_at=EVENING_IN_SHANGHAI,
    )


def sample_state(turn: int = 1, **changes: object) -> DialogueState:
    """A state with something in every collection; ``turn`` tells states apart."""
    state = DialogueState(
        persona=PersonaRef(id="xiaoyu", name="林小雨", digest="0123456789abcdef"),
        user="ann",
        language="zh",
        facts=(
            Fact(
                id="f1",
                subject="user",
                attribute="city",
                value="苏州",
                polarity=False,
                status=FactStatus.superseded,
                speaker="user",
                turn=1,
                quote="I left 苏州",
                single=True,
                supersedes="f0",
                pinned=True,
                language="zh",
                at=NOON,
                when="去年",
                when_at=EVENING_IN_SHANGHAI,
                degree=1,
                importance=0.4,
            ),
        ),
        topics=TopicStack(
            open=(Topic(id="t2", label="cats", entities=("e1",), keywords=("猫",), first_turn=1, last_turn=turn),),
            past=(Topic(id="t1", label="weather"),),
        ),
        emotion=MOOD,
        user_emotion=Emotion(label="sadness", valence=-0.4, turn=turn),
        entities=(
            Entity(
                id="e1",
                name="团子",
                kind="animal",
                aliases=("the cat",),
                last_turn=turn,
                mentions=3,
                salience=0.7,
                introduced_by="user",
                ordinal=1,
            ),
        ),
        commitments=(
            Commitment(
                id="c1",
                by="character",
                to="user",
                text="water the plants",
                due="tomorrow",
                due_at=NOON,
                status=CommitmentStatus.broken,
                turn=1,
                closed_turn=turn,
                quote="I will",
            ),
        ),
        task=TASK,
        tools=(TOOL_RESULT,),
        messages=(Message(speaker="character", text="欢迎! 🌸", turn=turn, at=EVENING_IN_SHANGHAI),),
        summary=Summary(text="打了招呼。", first_turn=0, last_turn=0),
        notes=(Note(key="affinity", value="0.5"),),
        turn_count=turn,
        phase="extract_facts",
        serial=17,
    )
    return DialogueState.model_validate(_unpacked(state, changes))


def _unpacked(model: BaseModel, changes: dict[str, object]) -> dict[str, object]:
    # One level only: nested models stay as they are and are not validated again.
    return {**{name: getattr(model, name) for name in type(model).model_fields}, **changes}
