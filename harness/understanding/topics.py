"""The topic stack by rules: cue words, and how much the words of a turn have in common with each topic."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from harness.language.phrases import Phrases, is_han, lower
from harness.state.operations import PopTopic, PushTopic, ReturnTopic, TouchTopic
from harness.understanding.words import content_runs, content_words, excerpt, likeness_keys, sentence_list

if TYPE_CHECKING:
    import re

    from harness.language.pack import LanguagePack
    from harness.state.dialogue import DialogueState, Message
    from harness.state.operations import Operation
    from harness.state.topics import Topic

MAX_OPEN = 8
"""Open topics; when one more is opened the current one is closed first."""
MAX_KEYWORDS = 12
"""Keywords taken from one turn."""
RETURN_MARGIN = 0.33
"""How much more a turn must have in common with an older topic than with the current one to return without a cue."""
RETURN_LEAST = 0.33
"""Share of a turn's words an older topic must know, to return without a cue."""
RETURN_LEANING = 0.67
"""The same for a message that leans on the one before it."""
SAME_LABEL = 0.5
"""Share of an announced label the current topic must know to be that topic already."""
ENOUGH_WORDS = 2
"""Content words a message needs to leave a topic without a cue."""
_EDGES = " \t,，、:：-–—\"'“”‘’()（）。.!！?？~～"


@dataclass(frozen=True, slots=True)
class _Cues:
    """What the wording of a message says about topics."""

    opened: str = ""
    change: bool = False
    maybe: bool = False
    back: str = ""
    resume: bool = False
    close: bool = False


def track_topics(
    user_text: str, reply: str, *, state: DialogueState, pack: LanguagePack, turn: int
) -> tuple[Operation, ...]:
    """What the turn does to the topic stack: one push, return or touch; a pop when a topic is only closed."""
    user_text, reply = excerpt(user_text), excerpt(reply)
    current = state.topics.current
    words = content_words(user_text, pack)
    keywords = tuple(dict.fromkeys((*words, *content_words(reply, pack))))[:MAX_KEYWORDS]
    names = _names(f"{user_text}\n{reply}", state)
    touch = TouchTopic(turn=turn, entities=names, keywords=keywords)
    if current is None:
        label = _label(user_text, reply, pack)
        return (PushTopic(label=label, turn=turn, entities=names, keywords=keywords),)
    cues = _read_cues(user_text, pack)
    if is_backchannel(user_text, pack) and cues == _Cues(maybe=cues.maybe):
        return (touch,)
    if current.label == pack.topics.no_topic_label and len(state.topics.open) + len(state.topics.past) == 1 and words:
        # The talk began with a greeting: its first content gives the topic its name.
        return (touch.model_copy(update={"label": _label(user_text, reply, pack)}),)
    keys = likeness_keys(words)
    returned = _returned(cues, keys, user_text, state=state, pack=pack, turn=turn)
    if returned is not None:
        if returned.id == current.id:
            return (touch,)
        return (ReturnTopic(topic_id=returned.id, turn=turn), touch)
    label = _new_label(cues, keys, (user_text, reply), state=state, pack=pack, turn=turn)
    if label and lower(label) != lower(current.label):
        push = PushTopic(label=label, turn=turn, entities=names, keywords=keywords)
        if len(state.topics.open) >= MAX_OPEN:
            return (PopTopic(turn=turn), push)
        return (push,)
    if cues.close and len(state.topics.open) > 1:
        return (PopTopic(turn=turn),)
    return (touch,)


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


def _read_cues(text: str, pack: LanguagePack) -> _Cues:
    cues = pack.topics
    lowered = lower(text)

    def named(patterns: tuple[re.Pattern[str], ...]) -> str:
        for pattern in patterns:
            match = pattern.search(lowered)
            if match is not None:
                label = trim_label(text[match.start("label") : match.end("label")], pack)
                if label:
                    return label
        return ""

    def said(patterns: tuple[re.Pattern[str], ...]) -> bool:
        return any(pattern.search(lowered) for pattern in patterns)

    back = named(cues.back)
    return _Cues(
        opened=named(cues.open),
        change=said(cues.change),
        maybe=said(cues.maybe),
        back=back,
        resume=said(cues.resume),
        close=said(cues.close),
    )


def _returned(
    cues: _Cues, keys: frozenset[str], text: str, *, state: DialogueState, pack: LanguagePack, turn: int
) -> Topic | None:
    """The known topic a message goes back to (maybe the current one), or None."""
    topics = state.topics
    current = topics.current
    assert current is not None  # noqa: S101 - the caller has asked
    older = [topic for topic in (*topics.past, *topics.open) if topic.id != current.id]
    named = cues.back or cues.opened
    if named:
        wanted = likeness_keys(content_words(named, pack) or (named,))
        best, score = _best(wanted, [*older, current])
        least = 0.5 if cues.back else 0.75
        if best is not None and score >= least:
            return best
        if cues.opened:
            return None
    if cues.resume and len(topics.open) > 1:
        best, score = _best(keys, older)
        return best if best is not None and score >= RETURN_LEAST else topics.open[-2]
    if cues.change or not keys:
        return None
    best, score = _best(keys, older)
    here = _share(keys, current)
    strong = len(keys) >= ENOUGH_WORDS or (len(keys) == 1 and score == 1.0)
    least = RETURN_LEANING if _leans(text, state, pack, turn) else RETURN_LEAST
    if best is not None and strong and score >= least and score >= here + RETURN_MARGIN:
        return best
    return None


def _new_label(
    cues: _Cues,
    keys: frozenset[str],
    texts: tuple[str, str],
    *,
    state: DialogueState,
    pack: LanguagePack,
    turn: int,
) -> str:
    """The label of the topic a message opens, or nothing when the current one goes on."""
    text, reply = texts
    current = state.topics.current
    assert current is not None  # noqa: S101 - the caller has asked
    if cues.opened and (cues.change or _share(likeness_keys((cues.opened,)), current) < SAME_LABEL):
        return cues.opened
    if cues.back:
        return cues.back
    here = _share(keys, current)
    if cues.change or _announced(state, pack, turn):
        return _label(text, "", pack) if keys and not _only_cue(text, pack) else ""
    if cues.maybe and keys and here == 0:
        return _label(text, reply, pack)
    if cues.close:
        return ""
    tail = _tail(text)
    new = likeness_keys(content_words(tail, pack))
    asks = _asks(tail) and pack.topics.addressed_phrases.first(tail) is not None
    # A topic that began with the last turn is still unfolding: its words are few, and what is told next belongs to it.
    if current.first_turn >= turn - 1 and not asks:
        return ""
    least = 1 if asks else ENOUGH_WORDS
    if (
        len(new) < least
        or _share(new, current) > 0
        or _leans(text, state, pack, turn)
        or _shares_with_last(new, state, pack, turn)
    ):
        return ""
    return _label(tail, reply, pack)


def _tail(text: str) -> str:
    """The last sentence when it asks something, else the whole: what a message ends with is what it is about."""
    pieces = sentence_list(text)
    return pieces[-1] if pieces and _asks(pieces[-1]) else text


def _asks(text: str) -> bool:
    return text.rstrip().endswith(("?", "？"))


def _only_cue(text: str, pack: LanguagePack) -> bool:
    """Whether nothing but the announcement of a change is said ("let's change the subject")."""
    rest = lower(text)
    for pattern in (*pack.topics.change, *pack.topics.close):
        rest = pattern.sub(" ", rest)
    return not content_words(rest, pack)


def _announced(state: DialogueState, pack: LanguagePack, turn: int) -> bool:
    """Whether the user's last message announced a change and no more, so that this one brings the new topic."""
    texts = [message.text for message in _before(state, turn) if message.speaker == "user"]
    return bool(texts) and _read_cues(texts[-1], pack).change and _only_cue(texts[-1], pack)


def _before(state: DialogueState, turn: int) -> tuple[Message, ...]:
    """The recent messages without those of the turn at hand."""
    return tuple(message for message in state.messages if message.turn < turn)


def _leans(text: str, state: DialogueState, pack: LanguagePack, turn: int) -> bool:
    """Whether what a message ends with hangs on what was said before: by its wording, or as an answer."""
    tail = _tail(text)
    opening = pack.topics.leaning_start_phrases.at(lower(tail), 0) if tail else None
    if opening is not None or pack.topics.leaning_phrases.first(tail) is not None:
        return True
    last = next((message for message in reversed(_before(state, turn)) if message.speaker == "character"), None)
    return last is not None and _asks(last.text) and not _asks(tail)


def _shares_with_last(keys: frozenset[str], state: DialogueState, pack: LanguagePack, turn: int) -> bool:
    """Whether a message shares a word with the last exchange."""
    recent = " ".join(message.text for message in _before(state, turn)[-3:])
    return bool(keys & likeness_keys(content_words(recent[-600:], pack)))


def _best(keys: frozenset[str], topics: list[Topic]) -> tuple[Topic | None, float]:
    """The topic that knows most of the words, the latest of equals, and the share it knows."""
    best: Topic | None = None
    score = 0.0
    for topic in topics:
        share = _share(keys, topic)
        if share > 0 and share >= score:
            best, score = topic, share
    return best, score


def _share(keys: frozenset[str], topic: Topic) -> float:
    """Share of the words that a topic knows by its label, entities or keywords."""
    if not keys:
        return 0.0
    known = _topic_keys((topic.label, *topic.entities, *topic.keywords))
    # A single Han character (猫) is a word of its own and is found inside a longer piece (你的猫吃鱼).
    single = {key for key in known if len(key) == 1}
    return sum(key in known or not single.isdisjoint(key) for key in keys) / len(keys)


@lru_cache(maxsize=512)
def _topic_keys(words: tuple[str, ...]) -> frozenset[str]:
    return likeness_keys(words)


def _names(text: str, state: DialogueState) -> tuple[str, ...]:
    """Names of known entities that are said in a text."""
    lowered = lower(text)
    near = [entity for entity in state.entities if lower(entity.name) in lowered]
    found = {hit.value for hit in Phrases({entity.name: entity.name for entity in near}).find(text)}
    return tuple(entity.name for entity in near if entity.name in found)


# --- labels -----------------------------------------------------------------------------------------------------


def trim_label(words: str, pack: LanguagePack) -> str:
    """A label without articles and particles at its ends, cut at the longest length at a word's end."""
    label = " ".join(words.split()).strip(_EDGES)
    trims = _trims(pack)
    before = None
    while label and label != before:
        before = label
        lowered = lower(label)
        hit = trims.at(lowered, 0)
        if hit is not None and hit.end < len(label):
            label = label[hit.end :].strip(_EDGES)
            continue
        for start in range(len(label) - 1, 0, -1):
            hit = trims.at(lowered, start)
            if hit is not None and hit.end == len(label):
                label = label[:start].strip(_EDGES)
                break
    if len(label) > pack.topics.max_label:
        cut = label[: pack.topics.max_label]
        label = (cut.rsplit(" ", 1)[0] if " " in cut else cut).strip(_EDGES)
    return "" if trims.at(lower(label), 0) is not None and lower(label) in pack.topics.label_trim else label


@lru_cache(maxsize=16)
def _trims(pack: LanguagePack) -> Phrases[str]:
    return Phrases.of(pack.topics.label_trim)


def _label(user_text: str, reply: str, pack: LanguagePack) -> str:
    """A label from the words: what a cue names, else the longest run of content words, the user's before the reply's."""
    cues = _read_cues(user_text, pack)
    if cues.opened or cues.back:
        return cues.opened or cues.back
    rest = user_text
    for pattern in (*pack.topics.change, *pack.topics.maybe, *pack.topics.close):
        rest = pattern.sub(" ", rest)
    for text in (rest, reply):
        runs = [run for run in content_runs(text, pack) if not is_backchannel(run, pack)]
        runs = [run for run in runs if len(run) > 1]
        named = [piece for run in runs for piece in _without(run, pack)]
        label = trim_label(max(named or runs, key=_run_weight), pack) if runs else ""
        if label:
            return label
    return pack.topics.no_topic_label


def _without(run: str, pack: LanguagePack) -> list[str]:
    """The pieces of a run between words that make no label."""
    pieces: list[str] = []
    start = 0
    for hit in pack.topics.label_stop_phrases.find(run):
        pieces.append(run[start : hit.start])
        start = hit.end
    return [piece.strip() for piece in (*pieces, run[start:]) if piece.strip()]


def _run_weight(run: str) -> float:
    """Two or three words make the best label, names before others; a single Han character the worst."""
    if is_han(run[0]):
        return min(len(run), 6) if len(run) > 1 else 0.5
    return min(len(run.split()), 3) + 0.01 * min(len(run), 30) + (0.2 if run[0].isupper() else 0.0)
