"""Whom a question is about, so that what is known of somebody else does not answer it ("What does Anna like?", 安娜喜欢什么？).

What is said of others is left out only where the question is about one side alone: the user, the character, or third persons.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from harness.language import LanguagePack
from harness.memory.narrowing import Narrowed
from harness.state import CHARACTER, USER
from harness.state.memory import MemoryItem
from harness.understanding.checks.whose import nouns_for
from harness.understanding.facts.asked import asked_attributes
from harness.understanding.facts.propositions import propositions
from harness.understanding.references.mentions import find_mentions
from harness.understanding.text import contains_phrase, fold
from harness.understanding.topics.shifts import is_question

PREFERRED = 0.3
"""What is added to the relevance of what is about the one asked about, as a share of it."""
MOST = 4
"""Names of those asked about that are looked for."""


@dataclass(frozen=True, slots=True)
class About:
    """Whom a question is about.

    Attributes:
        subjects: as items have them: ``user``, ``character``, or names; folded.
        called: how the question calls them.
        asked: keys of the attributes that are asked for.
        alone: nothing of anybody else's is asked for ("Anna's boss" is somebody else).
    """

    subjects: tuple[str, ...]
    called: tuple[str, ...]
    asked: frozenset[str] = frozenset()
    alone: bool = True

    @property
    def third(self) -> bool:
        """Whether it is about neither of the two who talk."""
        return not {USER, CHARACTER} & set(self.subjects)

    def answered_by(self, item: MemoryItem) -> bool:
        """Whether a fact about somebody else would pass for an answer."""
        if not self.third:  # "can you recommend something" asks what the character can do, and is not about that alone
            return item.attribute.casefold() in self.asked
        return self.alone or item.subject in (USER, CHARACTER)

    def tells(self, item: MemoryItem) -> bool:
        """Whether an item is about them, or speaks of them by name."""
        return fold(item.subject) in self.subjects or any(contains_phrase(item.text, name) for name in self.called)


def asked_about(
    text: str, items: Iterable[MemoryItem], *, pack: LanguagePack, names: Mapping[str, str]
) -> About | None:
    """Whom a question is about; None when it is no question, or is about nobody or several sides.

    Args:
        items: what was found so far: who they are about is known by name.
        names: what the two who talk are called.
    """
    items = tuple(items)
    cues = pack.keeping
    if not (is_question(text) or pack.finds(pack.text.questions, text)):
        return None
    rest = pack.any_of(cues.framing).sub(" ", text) if cues.framing else text
    asked = frozenset(asked_attributes(rest, pack))
    subjects, called, rest, theirs = _relatives(rest, pack)
    known = {item.subject for item in items if item.subject and item.subject not in (USER, CHARACTER)}
    known |= {one.name for one in find_mentions(rest, pack) if one.proper and one.kind in ("person", "other")}
    two = {fold(name): who for who, name in names.items() if name}
    named = [name for name in sorted(known, key=lambda one: (-len(one), one)) if contains_phrase(rest, name)]
    called += [name for name in named if fold(name) not in two]
    subjects += [fold(name) for name in named if fold(name) not in two]
    sides = {who for name, who in two.items() if contains_phrase(rest, name)}
    sides |= {who for who, sources in ((USER, cues.asker), (CHARACTER, cues.asked)) if pack.finds(sources, rest)}
    if len(sides) + bool(subjects) != 1:
        return None
    if sides:
        side = sides.pop()
        spoken = tuple(name for name, who in two.items() if who == side)
        return About((side,), spoken, asked) if asked else None
    for subject, name in _kin(items, pack):  # "my sister Anna": facts of either are about her
        if fold(name) in subjects or subject in subjects:
            subjects += [fold(name), subject]
            called.append(name)
    owns = theirs or any(_possesses(name, rest, pack) for name in called)
    return About(tuple(dict.fromkeys(subjects))[:MOST], tuple(dict.fromkeys(called))[:MOST], asked, alone=not owns)


def _kin(items: Iterable[MemoryItem], pack: LanguagePack) -> Iterable[tuple[str, str]]:
    """(subject of the facts of a relative, name) of those of the user's of whom both are known."""
    owner = pack.wording.owners.get(USER, USER)
    for item in items:
        if item.subject == USER and item.attribute and item.polarity:
            for claim in propositions(item.attribute, item.value, item.polarity, "", pack):
                if claim.name and claim.kind and claim.polarity:
                    yield fold(pack.wording.relative.format(owner=owner, relation=claim.kind)), claim.name


def _possesses(name: str, text: str, pack: LanguagePack) -> bool:
    """Whether something or somebody of theirs is spoken of ("Anna's boss", 安娜的老板)."""
    place = text.find(name)
    return place >= 0 and pack.finds(pack.keeping.possessing, text[place + len(name) :])


def _relatives(text: str, pack: LanguagePack) -> tuple[list[str], list[str], str, bool]:
    """The subjects under which facts of a relative of the asker's are kept, the words for the relative, the rest of the question,
    and whether it asks for something of theirs.
    """
    for source in pack.recall.whose:
        match = pack.pattern(source).search(text)
        if match is None:
            continue
        owner = pack.wording.owners.get(USER, USER)
        words = nouns_for(fold(match["r"]), pack)
        rest, behind = f"{text[: match.start()]} {text[match.end() :]}", text[match.end() :]
        theirs = bool(match.groupdict().get("n")) or pack.finds(pack.keeping.possessing, behind)
        subjects = [fold(pack.wording.relative.format(owner=owner, relation=word)) for word in words]
        return subjects, list(words), rest, theirs
    return [], [], text, False


def preferred(about: About, items: Mapping[str, MemoryItem], relevance: Mapping[str, float]) -> dict[str, float]:
    """Relevance by id, that of what is about the one asked about raised."""
    return {
        name: value * (1 + PREFERRED) if fold(items[name].subject) in about.subjects else value
        for name, value in relevance.items()
    }


def narrowed_to(
    about: About,
    items: Mapping[str, MemoryItem],
    so_far: Narrowed,
    least: Mapping[str, float],
    *,
    minded: Collection[str],
) -> Narrowed:
    """Without facts about others, where something of the one asked about is known.

    Where nothing is, facts about the two who talk still do not answer a question about somebody else, nor those of one of them a
    question about the other, whose persona may know; the report says so of third persons. What is always minded stays, and so does whatever speaks of the one by name.
    """
    own = {name for name, item in items.items() if fold(item.subject) in about.subjects}
    known = any(so_far.relevance[name] >= least[name] and name not in so_far.outside for name in own)
    whom = " or ".join(about.called) or f"the {about.subjects[0]}"
    outside = {
        name: f"about {_called(item.subject)}, and the question is about {whom}"
        for name, item in items.items()
        if item.attribute
        and item.subject
        and name not in minded
        and not about.tells(item)
        and about.answered_by(item)
        and (known or item.subject in (USER, CHARACTER))
    }
    warnings = so_far.warnings
    if about.third and not known and outside and not any(about.tells(item) for item in items.values()):
        warnings = (*warnings, f"nothing is known about {whom}; facts about others do not answer the question")
    return replace(so_far, outside={**outside, **so_far.outside}, warnings=warnings)


def _called(subject: str) -> str:
    return f"the {subject}" if subject in (USER, CHARACTER) else subject
