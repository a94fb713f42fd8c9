"""Material that makes a fact hold: the fact as a first-person sentence, begun answers, and last-resort lines."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from harness.state import CHARACTER, USER, Fact, PersonaFact
from harness.understanding.facts.claims import plain_text, positive, restore
from harness.understanding.one_script import in_one_script
from harness.understanding.text import contains_phrase, fold, has_han, likeness, terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from harness.language import LanguagePack
    from harness.language.sections_facts import Attribute
    from harness.state import Notice, Persona

_SAID_BEFORE = 0.9
_MARK = re.compile(r"[,.;:!?，。；：！？、…]")
_CAPITAL = re.compile(r"(?!I(?![a-z]))[A-Z][a-z]*(?:-[A-Za-z]+)*")
_ENDS = ".。!! "
_PLACE = "§"
"""Stands for the one a sentence is about."""


@in_one_script
def told_of(fact: Fact, pack: LanguagePack) -> str:
    """A fact as its subject would say it; of a third person as one speaks of that one ("Jane lives in Oslo").

    Where a sentence cannot be turned so, it stands in the person's own words behind the name (Jane: "…").
    """
    text = statement(fact, pack=pack)
    if fact.subject in (USER, CHARACTER):
        return text
    who = pack.rewrite(fact.subject, pack.lines.theirs)
    turned = pack.rewrite(text, pack.recall.as_other)
    if turned.startswith(_PLACE) and not pack.any_of(pack.text.first_person).search(turned):
        return f"{who}{turned[len(_PLACE) :]}"
    return pack.lines.of_other.format(who=who, text=text)


@in_one_script
def statement(fact: Fact | PersonaFact, *, pack: LanguagePack, persona: Persona | None = None) -> str:
    """The fact as its subject would say it, without an end mark: "I have a cat called Miso", 我养了一只猫.

    A persona fact's own statement comes first (``persona`` is looked at for facts that lost theirs), then a value that
    is a sentence already, then the sentence of its attribute, then the pack's sentence for any attribute.
    """
    own = _own_statement(fact, persona)
    if own:
        return own.strip().rstrip(_ENDS)
    value = fact.value.strip().rstrip(_ENDS)
    spec = pack.attribute(fact.attribute)
    if spec is not None and fact.polarity and (line := relative_line(fact.attribute, value, pack)):
        return line
    if spec is None and pack.pattern(pack.wording.objectless).search(value):
        value = pack.wording.with_object.format(value=value, attribute=fact.attribute.replace("_", " "))
    nominal = spec is not None and pack.pattern(pack.wording.nominal).search(value) is not None
    sentence = "" if nominal else as_sentence(value, pack, "" if spec else fact.attribute.replace("_", " "))
    if sentence and fact.polarity:
        return sentence
    plain, affirmed, masks = positive(value, pack)
    holds = (fact.polarity == affirmed) != pack.denies(fact.attribute)
    if not affirmed:
        value = restore(plain, masks)
    if spec is None or not spec.statement:
        template, denial = _open_templates(fact.attribute, pack)
        name = fact.attribute.replace("_", " ")
        called = pack.pattern(pack.wording.naming).search(value) is not None
        if holds and called and pack.wording.owning and contains_phrase(value, name):
            template = pack.wording.owning  # no "my cousin is a cousin called Lee"
        put = template if holds else denial
        return put.format(attribute=name, value=value, a_value=_with_article(value, pack))
    if fold(value) != pack.wording.anything:
        value = _with_kind(fact.attribute, value, spec, pack)
    if not holds and spec.generic and fold(value) == pack.wording.anything:
        value = spec.generic[0]
    template, denial = _templates(value, spec, pack)
    degree = fact.degree if isinstance(fact, Fact) else None
    if degree is not None and degree in spec.degree_lines:
        template = denial = spec.degree_lines[degree]
    put = template if holds else denial
    return put.format(attribute=fact.attribute, value=value, a_value=_with_article(value, pack))


def untold(notice: Notice) -> bool:
    """Whether a notice says that what is asked for was never told, or only follows from what was."""
    return notice.kind == "recall" and not notice.fact_id and not notice.value


def relative_line(relation: str, value: str, pack: LanguagePack) -> str:
    """A fact about a relative as a sentence ("mother", "a baker in York"); empty where the pack has none for such a value."""
    lines = pack.wording.relative_lines
    if not lines or pack.pattern("(?:{relation})").fullmatch(relation.strip()) is None:
        return ""
    put = next((put for source, put in lines if pack.pattern(source).search(value)), "")
    return put.format(relation=relation, value=value, a_value=_with_article(value, pack))


def _with_article(value: str, pack: LanguagePack) -> str:
    return pack.rewrite(value, pack.text.indefinite) if pack.text.indefinite else value


def as_sentence(value: str, pack: LanguagePack, subject: str = "") -> str:
    """A value that is a predicate or a sentence, as a first-person sentence; empty for any other.

    ``subject``: the open attribute, which "it" in the value stands for.
    """
    value = value.strip().rstrip(".。")
    if pack.any_of(pack.wording.full).match(value):
        return value
    if pack.text.whole and pack.any_of(pack.text.whole).match(value):
        return ""  # 不锈钢 is a thing, and no predicate
    plain, _, _ = positive(value, pack)
    template = next((put for source, put in pack.wording.sentences if pack.pattern(source).match(value)), "")
    if fold(plain) == pack.wording.anything or not template:
        return ""
    if subject:
        value = pack.pattern(pack.wording.anaphor).sub(subject, value)
    return template.format(value=pack.rewrite(value, pack.text.deinflect))


def _own_statement(fact: Fact | PersonaFact, persona: Persona | None) -> str:
    if isinstance(fact, PersonaFact):
        return fact.statement
    if fact.speaker != "persona":
        return ""
    if fact.quote or persona is None:
        return fact.quote
    same = (f for f in persona.facts if f.attribute == fact.attribute and f.value == fact.value)
    return next((f.statement for f in same), "")


def _with_kind(attribute: str, value: str, spec: Attribute, pack: LanguagePack) -> str:
    members = pack.wording.kinds.get(spec.key, ())
    if (
        fold(attribute) not in map(fold, members[1:])
        or not pack.pattern(pack.wording.named).match(value)
        or any(contains_phrase(value, m) for m in members)
    ):
        return value
    return pack.wording.kind_named.format(kind=attribute, name=value)


def _open_templates(attribute: str, pack: LanguagePack) -> tuple[str, str]:
    for source, template, denial in pack.wording.variants:
        if pack.pattern(source).search(attribute):
            return template, denial
    return pack.wording.statement, pack.wording.denial


def _templates(value: str, spec: Attribute, pack: LanguagePack) -> tuple[str, str]:
    for source, template, denial in spec.variants:
        if pack.pattern(source).search(value):
            return template, denial
    return spec.statement, spec.denial


@in_one_script
def begun_answers(
    notice: Notice, *, persona: Persona, pack: LanguagePack, seed: int = 0, whole: bool = True
) -> tuple[str, ...]:
    """Openers for a begun answer that a model continues, in an order turned by ``seed``.

    Args:
        notice: what has to be answered.
        persona: who answers.
        pack: of the language of the answer.
        seed: turns the order, so that not every answer begins alike.
        whole: openers that already state the fact; otherwise such that stop in the first person before it. A notice
            without a truth has openers that only decline.
    """
    if notice.kind == "recall":
        openers = pack.recall.untold_begun if untold(notice) else pack.recall.begun
    elif notice.kind == "asked":
        openers = pack.own_answers.begun if whole else ()
    elif not notice.truth:
        openers = pack.holding.begun.get("unknown", ())
    else:
        openers = _of_kind(pack.holding.begun, notice) if whole else pack.holding.begun.get("open", ())
    filled = (opener.format(truth=_bare(notice.truth), name=persona.name) for opener in openers)
    return _turned(tuple(dict.fromkeys(filled)), seed)


@in_one_script
def takes_up(ending: str, notice: Notice, pack: LanguagePack) -> bool:
    """Whether the end of a begun answer speaks of what the user claimed without denying it ("…, like my brother").

    "…, not a nurse" denies it, and is a good ending.
    """
    if notice.kind == "recall":
        return bool(pack.any_of(pack.recall.own).search(ending))  # the fact is the user's: "…, it's my job" is not
    if notice.kind != "contradiction":
        return False
    claimed = terms(f"{notice.claim} {notice.value}", pack) - terms(notice.truth, pack)
    return any(
        claimed & terms(clause, pack) and positive(plain_text(clause, pack), pack)[1]
        for clause in re.split(r"[,，;；.。!！?？]", ending)
        if clause.strip()
    )


@in_one_script
def starts_over(ending: str, notice: Notice, pack: LanguagePack, names: Iterable[str] = ()) -> bool:
    """Whether what a model wrote after "…," does not go on from it but begins anew: "All right.", "She's 20.", 好的。, or the truth once more.

    Args:
        ending: what follows the comma.
        notice: what the begun answer tells.
        pack: of the language of the answer.
        names: that may follow a comma with a capital letter.
    """
    bare = ending.strip()
    if not bare:
        return False
    if _MARK.match(bare) or pack.any_of(pack.recall.restarts).match(bare):
        return True
    if _tells_again(bare, notice):
        return True
    if notice.kind == "recall" and _is_another(bare, notice, pack, names):
        return True
    capital = _CAPITAL.match(bare)
    if capital is not None:
        known = (notice.truth.partition(" ")[2], notice.value, *names)
        return not any(contains_phrase(text, capital[0]) and capital[0] in text for text in known)
    return notice.kind == "recall" and _begin(bare) == _begin(notice.truth) != ""


def _tells_again(ending: str, notice: Notice) -> bool:
    """Whether an ending holds what the opener has just told, whole ("…, I don't think so. I'm 44")."""
    truth = fold(_bare(notice.truth))
    again = fold(notice.value) if notice.kind == "recall" else truth
    bare = fold(ending).strip(" .!?。！？，,")
    if bare and (bare in truth if has_han(bare) else contains_phrase(truth, bare)):
        return True  # "You have a kitten called Miso, Miso."
    return bool(again) and (again in fold(ending) if has_han(again) else contains_phrase(ending, again))


def _is_another(ending: str, notice: Notice, pack: LanguagePack, names: Iterable[str]) -> bool:
    """Whether an ending only puts another value beside the one that was asked for ("You have a dog called Rex, Tabby")."""
    first = _MARK.split(ending)[0].strip()
    if not first or any(fold(first) == fold(name) for name in names) or contains_phrase(notice.truth, first):
        return False
    return pack.any_of(pack.recall.bare_ends).fullmatch(first) is not None


def _begin(text: str) -> str:
    """The first two words of a text, or the first two characters in Han script."""
    if has_han(text):
        return text.strip()[:2]
    return " ".join(fold(text).split()[:2])


@in_one_script
def hold_line(
    notice: Notice, *, persona: Persona, pack: LanguagePack, seed: int = 0, previous: Sequence[str] = ()
) -> str:
    """A whole in-character reply that states the fact, for when no candidate of the model held it.

    Never one that is nearly among ``previous`` while another is left. Empty when the pack has no lines.
    """
    recalled = notice.kind == "recall"
    told = pack.recall.untold_lines if untold(notice) else pack.recall.lines
    of_kind = told if recalled else _lines(notice, persona, pack)
    lines = pack.own_answers.lines if notice.kind == "asked" else of_kind
    filled = tuple(line.format(truth=_bare(notice.truth), name=persona.name) for line in lines)
    return _unsaid(filled, seed, previous)


def stray_line(
    kind: Literal["lost", "listening"], *, pack: LanguagePack, seed: int = 0, previous: Sequence[str] = ()
) -> str:
    """A line in character that says nothing, for when no candidate of the model was the character's (``lost``), or each was
    out of tone (``listening``). Empty when the pack has none.
    """
    return _unsaid(pack.holding.lines.get(kind, ()), seed, previous)


def _unsaid(lines: tuple[str, ...], seed: int, previous: Sequence[str]) -> str:
    """One of some lines that was not said yet, or the one said least often."""
    turned = _turned(lines, seed)
    for line in turned:
        if not any(fold(line) == fold(old) or likeness(line, old) >= _SAID_BEFORE for old in previous):
            return line
    unsaid = sorted(turned, key=lambda line: sum(fold(line) == fold(old) for old in previous))
    return unsaid[0] if unsaid else ""


def _of_kind(lines: Mapping[str, tuple[str, ...]], notice: Notice) -> tuple[str, ...]:
    """For a wrong name, for another value than the true one, or for the opposite of it."""
    if notice.polarity and notice.attribute == "name" and lines.get("called"):
        return lines["called"]
    return lines.get("value" if notice.polarity and notice.value else "denial", ())


def _lines(notice: Notice, persona: Persona, pack: LanguagePack) -> tuple[str, ...]:
    lines = pack.holding.lines
    if notice.kind == "bot_question":
        return lines.get(f"bot_{persona.bot_question}", ())
    if notice.kind in {"override", "role_swap", "memory_poison"}:
        return lines.get("override", ())
    if notice.kind == "extraction":
        return lines.get(notice.kind, ())
    return _of_kind(lines, notice) if notice.truth else lines.get("unknown", ())


def _bare(truth: str) -> str:
    """The truth without its end mark."""
    return truth.strip().rstrip(_ENDS)


def _turned(items: tuple[str, ...], seed: int) -> tuple[str, ...]:
    if not items:
        return ()
    start = seed % len(items)
    return items[start:] + items[:start]
