"""What a message leaves out: "What about the Lotus?" after a question, 为什么不好用 after talk of a thing."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.language.phrases import Phrases, lower
from harness.state.facts import USER
from harness.understanding.references.antecedents import worded
from harness.understanding.references.focus import Focus, find_focus, weigh
from harness.understanding.references.mentions import find_mentions
from harness.understanding.references.naming import name_kind
from harness.understanding.references.picks import picks
from harness.understanding.references.pronouns import recent_texts
from harness.understanding.text import contains_phrase, normalize

if TYPE_CHECKING:
    from harness.language.pack import LanguagePack
    from harness.state.dialogue import DialogueState
    from harness.state.entities import Entity

TOPIC_LEAST = 2.0
"""What something must weigh (see :func:`~harness.understanding.references.focus.weigh`) to be put where a message names nothing."""
TOPIC_LEAD = 0.6
"""By how much it must lead the next."""
LONGEST_QUESTION = 60
"""Characters of a question that is asked again of something else."""


@dataclass(frozen=True, slots=True)
class Completed:
    """A message with what it left out, the entity that was put in ("" for none), and its name."""

    text: str
    entity_id: str
    name: str


def complete(text: str, *, state: DialogueState, pack: LanguagePack) -> Completed | None:
    """The message with what it leaves out put in; None where it leaves nothing out or that is not sure."""
    return _asked_again(text, state, pack) or _about_topic(text, state, pack)


# --- the same question about something else ----------------------------------------------------------------------------


def _asked_again(text: str, state: DialogueState, pack: LanguagePack) -> Completed | None:
    cues = pack.entities
    match = next((m for one in cues.again_expressions if (m := one.match(text)) is not None), None)
    question = next(
        (m.text for m in reversed(state.messages) if m.speaker == "user" and m.turn <= state.turn_count), ""
    )
    if match is None or not question or len(question) > LONGEST_QUESTION:
        return None
    if not pack.any_of(pack.text.questions).search(normalize(question)):
        return None
    name = match["name"].strip()
    bare = _bare(name, pack)
    time = _another_time(name, question, pack)
    if time is not None:
        return Completed(time, "", "")
    entity = _entity(bare, state)
    kind = entity.kind if entity is not None else _kind(bare, pack)
    if entity is None and kind == "other" and not bare[:1].isupper():
        return None
    span = _named_in(question, kind, state, pack)
    if span is None:
        return None
    start, end = span
    said = lower(question[start:end])
    if said == lower(bare) or said in lower(name):
        return None
    article = re.search(r"\b(?:the|a|an) $", question[:start], re.IGNORECASE) if name != bare else None
    start = article.start() if article is not None else start
    words = name[:1].upper() + name[1:] if start == 0 and name[:1].isascii() else name
    return Completed(f"{question[:start]}{words}{question[end:]}", entity.id if entity is not None else "", bare)


def _another_time(name: str, question: str, pack: LanguagePack) -> str | None:
    """The question with its time replaced, when both name one ("And tomorrow?" after "… today?")."""
    times = pack.entities.time_phrases
    asked = times.at(lower(name), 0) if name else None
    if asked is None or asked.end != len(name):
        return None
    said = list(times.find(question))
    if len(said) != 1 or said[0].phrase == asked.phrase:
        return None
    return f"{question[: said[0].start]}{name}{question[said[0].end :]}"


def _kind(name: str, pack: LanguagePack) -> str:
    told = [mention.kind for mention in find_mentions(name, pack) if mention.name == name and mention.kind != "other"]
    return told[0] if told else name_kind(name, pack.entities)


def _bare(name: str, pack: LanguagePack) -> str:
    first, _, rest = name.partition(" ")
    return rest if rest and lower(first) in {lower(word) for word in pack.entities.articles} else name


def _entity(name: str, state: DialogueState) -> Entity | None:
    wanted = lower(name)
    return next((e for e in state.entities if wanted in (lower(e.name), *map(lower, e.aliases))), None)


def _named_in(question: str, kind: str, state: DialogueState, pack: LanguagePack) -> tuple[int, int] | None:
    """The one thing of a kind that a question names; None when there is none or are several."""
    kinds = {name: e.kind for e in state.entities for name in (e.name, *e.aliases)}
    lowered = lower(question)
    near = {name: one for name, one in kinds.items() if lower(name) in lowered}
    spans = {(hit.start, hit.end): hit.value for hit in Phrases(near).find(question)}
    for mention in find_mentions(question, pack):
        span = (mention.start, mention.start + len(mention.name))
        if mention.proper and question[span[0] : span[1]] == mention.name:
            spans.setdefault(span, mention.kind)
    by_id = {entity.id: entity.kind for entity in state.entities}
    spans.update({(one.start, one.end): by_id[one.entity_id] for one in picks(lowered, state, pack.entities)})
    outer = [s for s in spans if not any(o != s and o[0] <= s[0] and s[1] <= o[1] for o in spans)]
    alike = [span for span in outer if spans[span] == kind]
    if not alike:
        alike = [span for span in outer if "other" in (spans[span], kind)]
    return alike[0] if len(alike) == 1 else None


# --- a question without a topic -----------------------------------------------------------------------------------------


def _about_topic(text: str, state: DialogueState, pack: LanguagePack) -> Completed | None:
    cues = pack.entities
    match = next((m for one in cues.topicless_expressions if (m := one.match(text)) is not None), None)
    if match is None or _names_something(text, pack):
        return None
    found = _topic(state, pack)
    if found is None:
        return None
    entity_id, name, words = found
    if contains_phrase(text, name):
        return None  # what is named already was not left out
    groups = match.groupdict()
    if "head" in groups:
        head = groups["head"] or ""
        rest = text[len(head) :]
        # 作者是谁 asks for the author of the topic.
        words = cues.possessive.format(name=words) if rest.startswith(cues.focus.parts) else words
        return Completed(f"{head}{words}{rest}", entity_id, name)
    filled = cues.topicless_form.format(question=groups["question"], topic=words)
    return Completed(f"{filled}{text[match.end('question') :]}", entity_id, name)


def _names_something(text: str, pack: LanguagePack) -> bool:
    """Whether a message has a topic of its own; a time ("tonight", 后天) is none."""
    parts, times = pack.entities.focus.parts, pack.entities.time_phrases
    if any(one.name not in parts and not times.covers(one.name) for one in find_focus((text,), pack)):
        return True
    return any(mention.name not in parts for mention in find_mentions(text, pack))


def _topic(state: DialogueState, pack: LanguagePack) -> tuple[str, str, str] | None:
    """(entity id, name, words) of the one thing the last turn was about."""
    cues = pack.entities
    fresh = [e for e in state.entities if e.last_turn == state.turn_count]
    if cues.focus.cuts:
        found = sorted(find_focus(recent_texts(state)[:2], pack), key=lambda one: -weigh(one, ""))
        best = _leading(found)
        if best is not None:
            entity = _entity(best.name, state)
            return (entity.id if entity is not None else "", best.name, best.name)
        fresh = [e for e in fresh if e.introduced_by == USER and lower(e.name) not in cues.kind_of_noun]
    if len(fresh) == 1 and fresh[0].kind != "person":
        return fresh[0].id, fresh[0].name, worded(fresh[0], cues)
    return None


def _leading(found: list[Focus]) -> Focus | None:
    if not found or weigh(found[0], "") < TOPIC_LEAST:
        return None
    rivals = [one for one in found[1:] if one.name not in found[0].name]
    return found[0] if not rivals or weigh(found[0], "") - weigh(rivals[0], "") >= TOPIC_LEAD else None
