"""Returns to an earlier topic: called back by name, resumed, or known by its words where the current topic has none of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.language.phrases import lower
from harness.language.remembering import remembered
from harness.understanding.topics.shifts import fields_of, is_question, tail
from harness.understanding.words import content_words, likeness_keys

if TYPE_CHECKING:
    from harness.language.pack import LanguagePack
    from harness.state.dialogue import DialogueState, Message
    from harness.state.topics import Topic
    from harness.understanding.topics.topic_cues import Cues

NAMED = 0.5
"""Share of the words of a name that a topic must know when it is called back; a name that may be new: ``OPENED``."""
OPENED = 0.75
LEAST = 0.33
"""Share of a message's words an older topic must know, to return without a cue. Where one of them is in its name: ``LEAST_NAMED``;
where the message leans on the line before it ("it", "that one"): ``LEANING`` times as much."""
LEAST_NAMED = 0.2
LEANING = 2.0
ALONE = 0.5
"""Share from which a single word of an older topic is enough."""
MANY = 2
"""Words of an older topic that are enough, where none of them is in its name or of a field with it."""


@dataclass(frozen=True, slots=True)
class Returned:
    """A topic that is talked about again, and the words that show it."""

    topic: Topic
    evidence: str = ""


def find_return(cues: Cues, text: str, *, state: DialogueState, pack: LanguagePack, turn: int) -> Returned | None:
    """The known topic a message goes back to (maybe the current one), or None. There must be a current topic."""
    topics = state.topics
    current = topics.current
    assert current is not None  # noqa: S101 - the caller has asked
    older = [topic for topic in (*topics.past, *topics.open) if topic.id != current.id]
    keys = likeness_keys(content_words(text, pack))
    named = cues.back or cues.opened
    if named:
        wanted = likeness_keys(content_words(named, pack) or (named,))
        best, score = best_topic(wanted, [*older, current])
        if best is not None and score >= (NAMED if cues.back else OPENED):
            return Returned(best, cues.evidence)
        if cues.opened:
            return None
    if cues.resume and len(topics.open) > 1:
        best, score = best_topic(keys, older)
        return Returned(best if best is not None and score >= LEAST else topics.open[-2], cues.evidence)
    if cues.change or not keys:
        return None
    return _by_words(text, older, state=state, pack=pack, turn=turn)


def _by_words(text: str, older: list[Topic], *, state: DialogueState, pack: LanguagePack, turn: int) -> Returned | None:
    """The older topic whose words come back while the current one has none of them."""
    current = state.topics.current
    assert current is not None  # noqa: S101 - the caller has asked
    end = tail(text)
    words = (content_words(end, pack) if is_question(end) else ()) or content_words(text, pack)
    keys = likeness_keys(words)
    before = [message for message in state.messages if message.turn < turn]
    if _known(keys, current) or keys & _said(before[-2:], pack):
        return None
    leaning = _leans(end, before, pack)
    keys_of = [(word, likeness_keys((word,))) for word in words]
    best: Topic | None = None
    best_rank = (0.0, 0)
    for topic in older:
        met = _known(keys, topic)
        if not met:
            continue
        # Counted in words: a long Han word has many pairs of characters and is one word all the same.
        known = {word for word, own in keys_of if _known(own, topic)}
        by_name = bool(_known(met, topic, by_name=True))
        share = len(known) / len(words)
        # One word is enough where it is half of what is said and no word of every talk, as far as the pack knows.
        alone = share >= ALONE and bool(fields_of(" ".join(known), pack))
        enough = len(known) >= MANY or by_name or alone or _kin(met, topic, pack)
        least = (LEAST_NAMED if by_name else LEAST) * (LEANING if leaning else 1)
        rank = (share, topic.last_turn)
        if enough and rank[0] >= least and rank > best_rank:
            best, best_rank = topic, rank
    return Returned(best, end) if best is not None else None


def best_topic(keys: frozenset[str], topics: list[Topic]) -> tuple[Topic | None, float]:
    """The topic that knows most of the words, the latest of equals, and the share it knows."""
    best: Topic | None = None
    score = 0.0
    for topic in topics:
        share = share_known(keys, topic)
        if share > 0 and share >= score:
            best, score = topic, share
    return best, score


def share_known(keys: frozenset[str], topic: Topic) -> float:
    """Share of the words that a topic knows by its label, entities or keywords; 0 of none."""
    return len(_known(keys, topic)) / len(keys) if keys else 0.0


def _known(keys: frozenset[str], topic: Topic, *, by_name: bool = False) -> frozenset[str]:
    known, single = _topic_keys((topic.label, *topic.entities, *(() if by_name else topic.keywords)))
    if not single:
        return keys & known
    return frozenset(key for key in keys if key in known or not single.isdisjoint(key))


def _kin(keys: frozenset[str], topic: Topic, pack: LanguagePack) -> bool:
    """Whether words belong to a field of life that the name of a topic belongs to, too (landlord and rent)."""
    return bool(fields_of(" ".join(sorted(keys)), pack) & fields_of(topic.label, pack))


@remembered(1024)
def _topic_keys(words: tuple[str, ...]) -> tuple[frozenset[str], frozenset[str]]:
    """The keys of a topic's words, and those of one letter: a Han character (猫) is a word of its own and is found inside a
    longer piece (你的猫吃鱼).
    """
    known = likeness_keys(words)
    return known, frozenset(key for key in known if len(key) == 1)


def _said(messages: list[Message], pack: LanguagePack) -> frozenset[str]:
    """What the last user's line was about; the character may well have brought an old topic back up itself."""
    text = " ".join(message.text for message in messages if message.speaker == "user")
    return likeness_keys(content_words(text[-600:], pack))


def leans(text: str, pack: LanguagePack) -> bool:
    """Whether the wording of a sentence hangs on what was said before it ("and …", "it", 那个)."""
    starts = pack.topics.leaning_start_phrases.at(lower(text), 0) if text else None
    return starts is not None or pack.topics.leaning_phrases.first(text) is not None


def _leans(end: str, before: list[Message], pack: LanguagePack) -> bool:
    """Whether what a message ends with hangs on what was said before: by its wording, or as an answer."""
    if leans(end, pack):
        return True
    last = next((message for message in reversed(before) if message.speaker == "character"), None)
    return last is not None and is_question(last.text) and not is_question(end)
