"""Subjects of facts that turn out to be one, changes of degree, and facts changed by hand."""

from __future__ import annotations

import pytest

from harness.cli.choosing import add, merge, parted
from harness.errors import InputError, OperationRejected
from harness.language import load_packs
from harness.state import DialogueState, Entity, Fact, FactStatus, Operation, PersonaRef, apply, fold
from harness.state.operations import AssertFact, MergeEntities, MergeSubjects, ReviseFact

PACKS = load_packs()
START = DialogueState(persona=PersonaRef(id="p", name="Vera"))


def said(subject: str, attribute: str, value: str, *, turn: int = 1, **more: object) -> AssertFact:
    return AssertFact(subject=subject, attribute=attribute, value=value, speaker="user", turn=turn, **more)


def after(*operations: Operation, state: DialogueState = START) -> DialogueState:
    for operation in operations:
        state = apply(state, operation)
    return state


def active(state: DialogueState) -> set[tuple[str, str, str]]:
    return {(fact.subject, fact.attribute, fact.value) for fact in state.active_facts()}


@pytest.mark.parametrize(("old", "name"), [("user's girlfriend", "Ines"), ("用户的女朋友", "茂琳")])
def test_two_subjects_become_one_without_duplicates(old: str, name: str) -> None:
    state = after(
        said(old, "likes", "tea"),
        said(old, "job", "nurse", single=True),
        said(name, "likes", "tea", turn=2),
        said(name, "job", "vet", turn=3, single=True),
        MergeSubjects(subject=name, merged=old),
    )
    assert active(state) == {(name, "likes", "tea"), (name, "job", "vet")}
    assert [fact.id for fact in state.active_facts(name) if fact.attribute == "likes"] == ["f1"]
    assert {fact.status for fact in state.facts} == {FactStatus.active, FactStatus.superseded}
    assert all(fact.subject == name for fact in state.facts)


def test_the_newer_holds_where_they_contradict_and_a_pin_survives() -> None:
    state = after(
        said("her", "likes", "tea"),
        said("Ines", "likes", "tea", turn=2, polarity=False),
        state=START,
    )
    pinned = state.model_copy(update={"facts": (state.facts[0].model_copy(update={"pinned": True}), state.facts[1])})
    merged = apply(pinned, MergeSubjects(subject="Ines", merged="her"))
    (fact,) = merged.active_facts()
    assert (fact.polarity, fact.pinned) == (False, True)


@pytest.mark.parametrize(
    ("subject", "merged"),
    [("Ines", "user"), ("Ines", "character"), ("character", "Ines"), ("Ines", "ines"), ("x", "y")],
)
def test_merges_that_do_not_hold(subject: str, merged: str) -> None:
    state = after(said("Ines", "likes", "tea"))
    with pytest.raises(OperationRejected):
        apply(state, MergeSubjects(subject=subject, merged=merged))


@pytest.mark.parametrize(("name", "other"), [("Maolin", "girlfriend"), ("茂琳", "女朋友")])
def test_facts_follow_entities_that_merge(name: str, other: str) -> None:
    state = after(said(other, "likes", "tea"), said(name, "likes", "tea", turn=2), said(other, "pet", "a cat"))
    entities = (Entity(id="e1", name=name, kind="person"), Entity(id="e2", name="她", aliases=(other,)))
    state = state.model_copy(update={"entities": entities})
    state = apply(state, MergeEntities(entity_id="e1", merged_id="e2"))
    assert active(state) == {(name, "likes", "tea"), (name, "pet", "a cat")}


def test_a_new_degree_supersedes_in_both_orders_and_history_is_kept() -> None:
    for first, second in ((2, 1), (1, 2)):
        state = after(said("user", "likes", "jazz", degree=first), said("user", "likes", "jazz", turn=2, degree=second))
        assert [(fact.degree, fact.status) for fact in state.facts] == [
            (first, FactStatus.superseded),
            (second, FactStatus.active),
        ]
    with pytest.raises(OperationRejected, match="already known"):
        apply(state, said("user", "likes", "jazz", degree=2))
    with pytest.raises(OperationRejected, match="already known"):
        apply(state, said("user", "likes", "jazz"))
    revised = apply(state, ReviseFact(fact_id=state.facts[-1].id, value="jazz", speaker="user", turn=3, degree=0))
    assert revised.facts[-1].degree == 0
    with pytest.raises(OperationRejected, match="says so already"):
        apply(revised, ReviseFact(fact_id=revised.facts[-1].id, value="jazz", speaker="user", turn=3, degree=0))


def test_many_valued_attributes_do_not_supersede() -> None:
    state = after(said("user", "pet", "cat"), said("user", "pet", "dog", turn=2), said("user", "role", "treasurer"))
    assert len(state.active_facts()) == 3


def test_facts_by_hand() -> None:
    state = after(add(START, PACKS, "user", "职业", "护士"))
    (fact,) = state.facts
    assert (fact.attribute, fact.language, fact.single, fact.speaker) == ("job", "zh", True, "user")
    state = after(
        add(state, PACKS, "user", "occupation", "baker"), add(state, PACKS, "Ines", "locker number", "7"), state=state
    )
    assert active(state) == {("user", "job", "baker"), ("Ines", "locker number", "7")}
    mine = add(state, PACKS, "character", "pet", "dog", polarity=False)
    assert (mine.speaker, mine.polarity, mine.single) == ("character", False, False)
    state = after(merge(state, "Otto", "INES"), state=state)
    assert ("Otto", "locker number", "7") in active(state)


def test_both_sides_of_an_equals_sign() -> None:
    assert parted(" a b = c = d ", "X = Y") == ("a b", "c = d")
    for wrong in ("", "a", "a =", "= b"):
        with pytest.raises(InputError, match="X = Y"):
            parted(wrong, "X = Y")


def test_a_merge_is_total_whatever_the_ids() -> None:
    odd = (Fact(id="x", subject="a", attribute="n", value="1"), Fact(id="y", subject="b", attribute="n", value="1"))
    state, applied, refused = fold(START.model_copy(update={"facts": odd}), [MergeSubjects(subject="a", merged="b")])
    assert len(applied) == 1
    assert not refused
    assert active(state) == {("a", "n", "1")}
