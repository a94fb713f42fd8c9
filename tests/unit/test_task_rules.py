"""What a turn changes in the task at hand, by rules, in English and Chinese."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

from harness.language import load_packs
from harness.state import DialogueState, PersonaRef, TaskState, fold
from harness.understanding.commitments.task import track_task

PACKS = load_packs()
TODO = {"en": "book the ferry", "zh": "订渡轮"}


def state_of(code: str, task: TaskState | None = None) -> DialogueState:
    known = task or TaskState(task_id="trip", goal="an island week", todo=(TODO[code],))
    return DialogueState(persona=PersonaRef(id="n", name="Nora"), language=code, task=known)


def after(code: str, user: str = "", reply: str = "") -> TaskState:
    """The task after one turn."""
    state = state_of(code)
    state, _, refused = fold(state, track_task(user, reply, state=state, pack=PACKS.get(code)))
    assert not refused
    assert state.task is not None
    return state.task


REPORTED = [
    ("en", "I've finally paid the deposit.", "done", "paid the deposit"),
    ("zh", "定金我已经付了。", "done", "付"),
    ("en", "The tent is already packed.", "done", "tent is already packed"),
    ("zh", "帐篷收拾好了。", "done", "帐篷收拾好"),
    ("en", "We still need to renew the passports.", "todo", "renew the passports"),
    ("zh", "我们还要续护照。", "todo", "续护照"),
    ("en", "I haven't ordered the maps yet.", "todo", "order the maps"),
    ("zh", "还没买地图。", "todo", "买地图"),
    ("en", "Not the Grand Pavilion.", "ruled_out", "Grand Pavilion"),
    ("zh", "不要大華酒店。", "ruled_out", "大華酒店"),
    ("en", "We tried resetting the router, but it didn't help.", "ruled_out", "resetting the router"),
    ("zh", "试过重置路由器了，没用。", "ruled_out", "重置路由器"),
    ("en", "The night bus is fully booked.", "ruled_out", "night bus"),
    ("zh", "夜班车订满了。", "ruled_out", "夜班车"),
    ("en", "So it's settled: we leave on Tuesday.", "confirmed_facts", "we leave on Tuesday"),
    ("zh", "说定了，周二出发。", "confirmed_facts", "周二出发"),
    ("en", "Our budget is 900 euros.", "confirmed_facts", "Our budget is 900 euros"),
    ("zh", "我们的预算是九百块。", "confirmed_facts", "预算是九百块"),
]
NOTHING = [
    ("en", "Have you booked the ferry?"),
    ("zh", "渡轮订好了吗？"),
    ("en", "If the ferry is booked, tell me."),
    ("zh", "要是渡轮订好了，告诉我。"),
    ("en", "My cousin has booked a ferry."),
    ("zh", "我姐渡轮订好了。"),
    ("en", "Not the best weather."),
    ("zh", "不要担心。"),
    ("en", "I'm not the patient type."),
    ("zh", "我吃好了。"),
    ("en", "We need to talk."),
    ("zh", "还要多久？"),
    ("en", "I sent you a kiss."),
    ("zh", "我还要上班。"),
]


@pytest.mark.parametrize(("code", "text", "field", "line"), REPORTED)
def test_plain_reports_change_the_task(code: str, text: str, field: str, line: str) -> None:
    before, task = state_of(code).task, after(code, text)
    added = set(getattr(task, field)) - set(getattr(before, field))
    assert any(line in found for found in added), task
    (change,) = track_task(text, "", state=state_of(code), pack=PACKS.get(code))
    assert change.evidence in text


@pytest.mark.parametrize(("code", "text"), NOTHING)
def test_what_is_no_report_changes_nothing(code: str, text: str) -> None:
    assert after(code, text) == state_of(code).task


@pytest.mark.parametrize(("code", "text"), [("en", "I've booked the ferry."), ("zh", "渡轮订好了。")])
def test_a_step_that_is_done_is_left_to_do_no_longer(code: str, text: str) -> None:
    task = after(code, text)
    assert (task.done, task.todo) == ((TODO[code],), ())


@pytest.mark.parametrize(("code", "text"), [("en", "The night bus is fully booked."), ("zh", "夜班车订满了。")])
def test_only_the_user_rules_out(code: str, text: str) -> None:
    assert after(code, reply=text).ruled_out == ()
    assert after(code, text).ruled_out


@pytest.mark.parametrize("code", ["en", "zh"])
def test_without_a_task_nothing_is_proposed(code: str) -> None:
    state = state_of(code).model_copy(update={"task": None})
    for _, text, _, _ in REPORTED:
        assert track_task(text, text, state=state, pack=PACKS.get(code)) == ()


@pytest.mark.parametrize(("code", "text"), [("en", "Not the Grand Pavilion."), ("zh", "不要大華酒店。")])
def test_what_is_known_is_not_proposed_again(code: str, text: str) -> None:
    task = after(code, text)
    assert track_task(text, "", state=state_of(code, task), pack=PACKS.get(code)) == ()


bits = st.sampled_from(
    ["we still need to ", "I've booked ", "the ferry", " didn't help", "not the ", ". ", "还要", "订好了", "不要", "试过", "没用", "，", "的"]
)  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(
    text=st.one_of(st.text(max_size=120), st.lists(bits, max_size=14).map("".join)), code=st.sampled_from(["en", "zh"])
)
def test_any_text_gives_changes_that_hold(text: str, code: str) -> None:
    after(code, text, text)
