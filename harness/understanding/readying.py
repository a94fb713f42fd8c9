"""Readying the rules of a language: what they look for is compiled before a turn needs it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Literal

from harness.language.sought import sought
from harness.state.dialogue import DialogueState, Message
from harness.state.facts import CHARACTER, USER
from harness.state.persona import Persona, PersonaRef
from harness.state.topics import Topic, TopicStack
from harness.understanding.checks.comparing import lines_of_work
from harness.understanding.checks.consistency import check_premise, check_reply
from harness.understanding.checks.points import keys_of, members_of, thin
from harness.understanding.commitments.task import track_task
from harness.understanding.commitments.track import track_commitments
from harness.understanding.emotion.appraising import appraise
from harness.understanding.emotion.track import track_emotion
from harness.understanding.facts.extract import extract_facts
from harness.understanding.facts.places import gazetteer
from harness.understanding.facts.wants import any_noun
from harness.understanding.moments import find_moment
from harness.understanding.pack_examples import NOW
from harness.understanding.references.entities import track_entities
from harness.understanding.references.mentions import find_mentions, ready_nouns
from harness.understanding.topics.track import track_topics

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from harness.language.pack import LanguagePack
    from harness.state.base import Frozen


_NO_EXPRESSIONS = ("dishes", "any_noun", "lines", "begun", "untold_lines", "untold_begun")
"""Lists in the sections whose expressions are readied that hold words, lines, or expressions still to be filled in."""
SPEAKERS: tuple[Literal["user", "character"], ...] = ("user", "character")


def readying(pack: LanguagePack, persona: Persona | None = None) -> Iterator[Callable[[], object]]:
    """Steps that together ready the rules of a pack, each some ten milliseconds of work, for a thread beside the talk.

    Patterns are compiled at their first use, because no talk needs all of them; that makes a first message take up to a
    second. The rules are readied by reading the examples of the pack, so that exactly what they use is compiled. Nothing
    depends on it: a rule that was not readied readies itself.

    Args:
        persona: who will talk; what the checks hold against its facts is worked out, too.
    """
    yield pack.entities.compile
    yield lambda: pack.time.expressions
    yield partial(gazetteer, pack)
    persona = persona or Persona(name="Example", language=pack.code)
    state = DialogueState(
        persona=PersonaRef(id="example", name=persona.name),
        language=pack.code,
        topics=TopicStack(open=(Topic(id="T1", label="example", first_turn=1, last_turn=1),)),
    )
    earlier = tuple(
        Message(speaker=speaker, text=example.text, turn=1) for example in pack.examples for speaker in SPEAKERS
    )
    yield partial(ready_nouns, pack.entities)
    for source in pack.relations.matched():
        yield partial(pack.pattern, source)
    slots = (*pack.wants.slots, *pack.history.slots)
    for section in (pack.history, pack.wants, pack.answering, pack.recall, *slots):
        yield partial(_compile_lists, section, pack)
    yield partial(lines_of_work, pack)
    for source in pack.reply.vocatives:
        yield partial(pack.pattern, source)
    asked = (pack.recall.address, pack.recall.as_own, pack.recall.as_other, pack.lines.theirs)
    for rewrites in (*asked, pack.text.swap, pack.text.it, pack.answering.inverted, pack.answering.objects):
        yield partial(pack.rewrite, "", rewrites)
    yield partial(pack.any_of, pack.history.not_always)
    for source in _sources(pack):
        yield partial(pack.pattern, source)
    for listed in _lists(pack):
        yield partial(pack.any_of, listed)
    told = pack.commitments
    for expressions in (told.kept, told.kept_by_other, told.broken, told.broken_by_other):
        yield partial(sought, expressions)
    for expressions in (told.withdrawn, told.withdrawn_by_other):
        yield partial(sought, expressions)
    yield lambda: pack.time.recurring_expression
    for example in pack.examples:
        text = example.text
        yield partial(keys_of, text, pack)
        yield partial(thin, text, pack)
        yield partial(members_of, text, pack)
        said = state.model_copy(update={"messages": earlier})
        yield partial(check_premise, text, state=state, persona=persona, pack=pack)
        yield partial(check_reply, text, user_text=text, state=said, persona=persona, pack=pack)
        for speaker in (USER, CHARACTER):
            yield partial(extract_facts, text, speaker=speaker, state=state, persona=persona, pack=pack, turn=2, at=NOW)
        yield partial(find_moment, text, pack=pack, now=NOW)
        yield partial(track_entities, text, text, state=state, persona=persona, pack=pack, turn=2)
        yield partial(track_topics, text, text, state=state, pack=pack, turn=2)
        yield partial(track_emotion, text, text, state=state, persona=persona, pack=pack, turn=2)
        yield partial(track_commitments, text, text, state=state, pack=pack, turn=2, now=NOW)
        yield partial(track_task, text, text, state=state, pack=pack)
    for name in pack.guards.kinds():
        yield partial(pack.guards.kind, name)


def _sources(pack: LanguagePack) -> Iterator[str]:
    """Expressions that stand by themselves in rules of several parts."""
    for attribute in pack.attributes:
        yield from attribute.questions
        if attribute.holds:
            yield attribute.holds
    yield from (way.match for way in pack.text.further)
    yield from pack.text.deaths
    yield from pack.called.forms
    yield from (slot.nouns for slot in pack.wants.slots)


def _lists(pack: LanguagePack) -> Iterator[tuple[str, ...]]:
    """Lists that are searched as one expression, besides those of whole sections."""
    cues = pack.agreement
    yield from (cues.own, cues.denied, cues.origins, cues.implied, cues.elsewhere, cues.never)
    yield from (pack.recall.misnames, pack.text.things, pack.text.tastes_of_it, pack.reply.parties)
    yield from (any_noun(slot.nouns, pack) for slot in pack.wants.slots)


def readying_beside(pack: LanguagePack) -> Iterator[Callable[[], object]]:
    """Steps that ready a pack for names and words of its language within a talk in another one, such as a password."""
    yield pack.entities.compile
    for example in pack.examples[:1]:
        yield partial(find_mentions, example.text, pack)
        yield partial(appraise, example.text, pack)


def _compile_lists(section: Frozen, pack: LanguagePack) -> None:
    """Compile the lists of expressions of a section as they are used: with groups one by one, without as one."""
    for name in type(section).model_fields:
        cues = getattr(section, name)
        if not isinstance(cues, tuple) or not cues or name in _NO_EXPRESSIONS:
            continue
        if all(isinstance(cue, str) for cue in cues):
            if any("(?P<" in cue for cue in cues):
                pack.likely(cues, "")
            else:
                pack.any_of(cues)
