"""The topic stack: what a turn does to it, by cue words, by shifts, and by the words of earlier topics that come back."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from harness.language.phrases import Phrases, is_han, lower
from harness.language.remembering import remembered
from harness.state.operations import PopTopic, PushTopic, ReturnTopic, TouchTopic
from harness.understanding.one_script import in_one_script
from harness.understanding.topics.labels import introduces, label_of, trim_label
from harness.understanding.topics.returns import Returned, find_return, leans, share_known
from harness.understanding.topics.shifts import Shift, fields_of, find_shift, is_question, longest_chain, tail
from harness.understanding.topics.topic_cues import Cues, only_cue, read_cues, without_cues
from harness.understanding.words import content_words, excerpt, likeness_keys

if TYPE_CHECKING:
    from harness.language.pack import LanguagePack
    from harness.state.dialogue import DialogueState, Message
    from harness.state.operations import Operation
    from harness.state.topics import Topic

__all__ = ["find_return", "foreseen_return", "is_backchannel", "track_topics", "trim_label"]

MAX_OPEN = 8
"""Open topics; when one more is opened the current one is closed first."""
MAX_KEYWORDS = 12
"""Keywords taken from one turn."""
SAME_LABEL = 0.5
"""Share of an announced label the current topic must know to be that topic already."""
SURE = 0.4
"""Probability from which a statement opens a topic. Of the statements of the training part (out of fold) that reach it 63 % do shift,
of those that reach the threshold for questions 43 %."""
CHAIN = 2
"""Words of one field that do so by rules; and words of a topic that make a field its own."""
ENOUGH_WORDS = 2
"""Words of a statement that opens a topic without a cue."""
LINES_BEFORE = 6
"""Messages before the turn that a shift is judged by."""


@in_one_script
def track_topics(
    user_text: str, reply: str, *, state: DialogueState, pack: LanguagePack, turn: int, classify: bool = False
) -> tuple[Operation, ...]:
    """What the turn does to the topic stack: one push, return or touch; a pop when a topic is only closed.

    Args:
        user_text, reply: the exchange. Only the user's words move the talk; both give keywords.
        state: before or after the messages of the turn were added to it.
        turn: number of the turn; messages of this turn and later ones are not looked at.
        classify: let the pack's classifier judge shifts that no cue announces.
    """
    user_text, reply = excerpt(user_text), excerpt(reply)
    current = state.topics.current
    words = content_words(user_text, pack)
    keywords = tuple(dict.fromkeys((*words, *content_words(reply, pack))))[:MAX_KEYWORDS]
    names = _names(f"{user_text}\n{reply}", state)
    touch = TouchTopic(turn=turn, entities=names, keywords=keywords)
    if current is None:
        label = _first_label(user_text, pack)
        return (PushTopic(label=label, turn=turn, entities=names, keywords=keywords),)
    cues = read_cues(user_text, pack)
    if is_backchannel(user_text, pack) and cues == Cues(maybe=cues.maybe):
        return (touch,)
    if _unnamed(state, pack) and words and not introduces(user_text, pack):
        # The talk began with a greeting: its first content gives the topic its name.
        label = _first_label(user_text, pack)
        return (touch.model_copy(update={"label": label, "evidence": label if label in user_text else ""}),)
    back = find_return(cues, user_text, state=state, pack=pack, turn=turn)
    if back is not None:
        if back.topic.id == current.id:
            return (touch,)
        return (ReturnTopic(topic_id=back.topic.id, turn=turn, evidence=back.evidence), touch)
    push = _opened(cues, user_text, reply, state=state, pack=pack, turn=turn, classify=classify)
    if push is not None:
        push = push.model_copy(update={"entities": names, "keywords": keywords})
        if len(state.topics.open) >= MAX_OPEN:
            return (PopTopic(turn=turn, evidence=push.evidence), push)
        return (push,)
    if cues.close and len(state.topics.open) > 1:
        return (PopTopic(turn=turn, evidence=cues.evidence),)
    return (touch,)


@in_one_script
def foreseen_return(text: str, *, state: DialogueState, pack: LanguagePack, turn: int) -> Returned | None:
    """The earlier topic a message goes back to, before there is a reply to it; None when it goes on or opens a new one.

    What :func:`track_topics` finds for the same message after the reply, so that the reply can already be given what was said
    under that topic.
    """
    text = excerpt(text)
    current = state.topics.current
    if current is None:
        return None
    cues = read_cues(text, pack)
    if (is_backchannel(text, pack) and cues == Cues(maybe=cues.maybe)) or _unnamed(state, pack):
        return None
    back = find_return(cues, text, state=state, pack=pack, turn=turn)
    if back is None and cues.close and len(state.topics.open) > 1:
        if _opened(cues, text, "", state=state, pack=pack, turn=turn, classify=False) is None:
            return Returned(state.topics.open[-2], cues.evidence)  # closing a topic uncovers the one below
        return None
    return back if back is not None and back.topic.id != current.id else None


@in_one_script
@remembered(4096)
def is_backchannel(text: str, pack: LanguagePack) -> bool:
    """Whether a message only reacts ("ok haha", 嗯嗯, "why?") and so says nothing about a topic."""
    rest = list(text)
    found = False
    for hit in pack.topics.backchannel_phrases.find(text):
        rest[hit.start : hit.end] = " " * (hit.end - hit.start)
        found = True
    left = "".join(rest)
    if not any(char.isalnum() for char in left):
        return True
    # A Han phrase may be a part of a longer word (行 in 行星), so Han text is looked at whole.
    rest_words = content_words(text if any(map(is_han, left)) else left, pack)
    return found and not rest_words and len(left.split()) <= 2  # "ok then it is"


def _unnamed(state: DialogueState, pack: LanguagePack) -> bool:
    """Whether nothing was talked about yet but greetings and names."""
    current = state.topics.current
    labels = (pack.topics.no_topic_label, pack.topics.introduction_label)
    return current is not None and current.label in labels and len(state.topics.open) + len(state.topics.past) == 1


def _first_label(user_text: str, pack: LanguagePack) -> str:
    cues = read_cues(user_text, pack)
    if cues.opened or cues.back:
        return cues.opened or cues.back
    if introduces(user_text, pack):
        return pack.topics.introduction_label
    # A greeting has no content; the answer to it names no topic either.
    return _label((without_cues(user_text, pack),), pack)


def _label(texts: tuple[str, ...], pack: LanguagePack) -> str:
    return label_of(tuple(text for text in texts if not is_backchannel(text, pack)), pack)


def _opened(
    cues: Cues, text: str, reply: str, *, state: DialogueState, pack: LanguagePack, turn: int, classify: bool
) -> PushTopic | None:
    """The topic a message opens, or None when the current one goes on."""
    current = state.topics.current
    assert current is not None  # noqa: S101 - the caller has asked
    push = _named_or_drifted(cues, text, reply, current, state=state, pack=pack, turn=turn, classify=classify)
    return push if push is not None and lower(push.label) != lower(current.label) else None


def _named_or_drifted(
    cues: Cues,
    text: str,
    reply: str,
    current: Topic,
    *,
    state: DialogueState,
    pack: LanguagePack,
    turn: int,
    classify: bool,
) -> PushTopic | None:
    """The topic that a message names, changes to, or is simply about; it may be called as the current one is."""
    named = cues.opened if cues.change or not _is_known(cues.opened, current) else ""
    if named or cues.back:
        return PushTopic(label=named or cues.back, turn=turn, evidence=cues.evidence)
    if cues.change or _announced(state, pack, turn):
        return _after_cue(text, cues.evidence or tail(text), pack=pack, turn=turn)
    if cues.close:
        rest = without_cues(text, pack).strip(" .,!，。！")
        goes_on = not rest or is_backchannel(rest, pack) or leans(tail(rest), pack)
        return None if goes_on else _after_cue(text, cues.evidence, pack=pack, turn=turn)
    keys = likeness_keys(content_words(text, pack))
    if cues.maybe and keys and share_known(keys, current) == 0:
        label = _label((without_cues(text, pack), reply), pack)
        return PushTopic(label=label, turn=turn, evidence=cues.evidence)
    return _drifted(text, reply, current, state=state, pack=pack, turn=turn, classify=classify)


def _is_known(label: str, topic: Topic) -> bool:
    """Whether a topic is announced that is the current one already."""
    return bool(label) and share_known(likeness_keys((label,)), topic) >= SAME_LABEL


def _after_cue(text: str, evidence: str, *, pack: LanguagePack, turn: int) -> PushTopic | None:
    """The topic that a message names beside a cue; None when the cue is all there is."""
    if only_cue(text, pack):
        return None
    return PushTopic(label=_label((without_cues(text, pack),), pack), turn=turn, evidence=evidence)


def _drifted(
    text: str, reply: str, current: Topic, *, state: DialogueState, pack: LanguagePack, turn: int, classify: bool
) -> PushTopic | None:
    """The topic that is talked about without being announced."""
    end = tail(text)
    new = likeness_keys(content_words(end, pack))
    if not new or leans(end, pack) or _belongs(end, new, current, pack):
        return None
    # A topic that began with the last turn is still unfolding: its words are few, and what is told next belongs to it.
    if current.first_turn >= turn - 1 and not is_question(end):
        return None
    before = [message.text for message in _before(state, turn)[-LINES_BEFORE:]]
    shift = find_shift(text, before, pack=pack, classify=classify)
    if not is_question(end):
        shift = _of_statement(shift, text, before, pack)
    if not shift.shifts:
        return None
    return PushTopic(label=_label((end, text, reply), pack), turn=turn, tier=shift.tier, evidence=shift.evidence)


def _of_statement(shift: Shift, text: str, before: list[str], pack: LanguagePack) -> Shift:
    """What a statement does for sure: its words change while its topic goes on, and a topic opened wrongly parts what belongs together.

    The classifier must be surer than of a question. The rules need several words of one field, or somebody who begins to tell of
    themselves ("we are going to Portugal in May").
    """
    if shift.tier == "classifier" and shift.shifts and shift.score >= SURE:
        return shift
    ruled = shift if shift.tier == "rules" else find_shift(text, before, pack=pack)
    end = tail(text)
    own = pack.topics.own_start_phrases.at(lower(end), 0) is not None
    telling = own and bool(fields_of(end, pack)) and len(content_words(end, pack)) >= ENOUGH_WORDS
    return replace(ruled, shifts=ruled.shifts and (telling or longest_chain(end, pack) >= CHAIN))


def _belongs(end: str, keys: frozenset[str], current: Topic, pack: LanguagePack) -> bool:
    """Whether a message shares a word with the current topic, or a field of life with its name or with several of its words."""
    if share_known(keys, current) > 0:
        return True
    own = fields_of(end, pack)
    counts = Counter(field for word in current.keywords for field in fields_of(word, pack))
    return bool(own & fields_of(current.label, pack)) or any(counts[field] >= CHAIN for field in own)


def _announced(state: DialogueState, pack: LanguagePack, turn: int) -> bool:
    """Whether the user's last message announced a change and no more, so that this one brings the new topic."""
    texts = [message.text for message in _before(state, turn) if message.speaker == "user"]
    return bool(texts) and read_cues(texts[-1], pack).change and only_cue(texts[-1], pack)


def _before(state: DialogueState, turn: int) -> tuple[Message, ...]:
    """The recent messages without those of the turn at hand."""
    return tuple(message for message in state.messages if message.turn < turn)


def _names(text: str, state: DialogueState) -> tuple[str, ...]:
    """Names of known entities that are said in a text."""
    lowered = lower(text)
    near = [entity for entity in state.entities if lower(entity.name) in lowered]
    found = {hit.value for hit in Phrases({entity.name: entity.name for entity in near}).find(text)}
    return tuple(entity.name for entity in near if entity.name in found)
