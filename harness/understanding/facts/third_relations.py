"""How third persons stand to each other ("Zhang San is Li Si's boss", 张三是李四的领导), and where they worked before.

Only whole clauses that name both are read, and only when both are certainly names: an edge between the wrong two is worse than none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from harness.language.remembering import remembered
from harness.language.sections_relations import FIRST_SIGN, KNOWN_SIGNS
from harness.language.sought import Sought
from harness.state import CHARACTER, USER
from harness.state.operations import RetractFact
from harness.understanding.facts.claims import SPEAKER, Claim, clean_value, plain_text
from harness.understanding.facts.fact_changes import QUOTE_LENGTH, Said
from harness.understanding.facts.keys import RELATIVES
from harness.understanding.text import fold, has_han, sentences

if TYPE_CHECKING:
    from harness.language import LanguagePack
    from harness.state import DialogueState

LONGEST = 600
"""Characters of a message that are read."""
LONGEST_NAME = 40
WORKPLACE = "workplace"
_QUOTED = re.compile(
    r'"[^"\n]*"|“[^”\n]*”|„[^“”\n]*[“”]|«[^»\n]*»|「[^」\n]*」|『[^』\n]*』|《[^》\n]*》|‘[^’\n]*’(?!\w)'
)
"""What somebody else said, or the name of a book."""


def third_relations(text: str, pack: LanguagePack, known: tuple[str, ...] = ()) -> tuple[Claim, ...]:
    """Claims about third persons. Questions, hypotheticals, quotations and reports of others give none.

    Args:
        text: one message.
        known: names of those who are known already, which need no form of a name.
    """
    return tuple(_Reader(pack, known).read(text))


def denied_relations(text: str, state: DialogueState, said: Said, known: tuple[str, ...] = ()) -> Iterator[RetractFact]:
    """The end of facts that a message denies in so many words ("Zhang San is not Li Si's boss")."""
    for claim in _Reader(said.pack, known, denied=True).read(text):
        for fact in state.active_facts(claim.subject):
            same = claim.name and fact.attribute == claim.attribute and fold(claim.value) == fold(fact.value)
            if same and fact.polarity:
                yield RetractFact(fact_id=fact.id, turn=said.turn, reason=claim.quote[:QUOTE_LENGTH])


@dataclass(frozen=True, slots=True)
class _Told:
    """A sentence that states something. ``clauses`` without their end marks, each with whether it denies."""

    sentence: str
    denies: bool
    clauses: tuple[tuple[str, bool], ...]


@remembered(512)
def _told(text: str, pack: LanguagePack) -> tuple[_Told, ...]:
    """The sentences of a message that are neither questions nor suppositions nor reports, and quote nobody."""
    rules = pack.relations
    if not rules.statements:
        return ()
    told = plain_text(_QUOTED.sub(" \n ", text), pack)
    if any(doubt.search(told) for doubt in _sought(pack).doubts.likely(told)):
        return ()
    denials, breaks = pack.any_of(rules.denials), pack.any_of(pack.text.breaks)
    found: list[_Told] = []
    for sentence in sentences(told):
        doubtful = pack.finds(pack.text.hypotheticals, sentence) or pack.finds(pack.text.reports, sentence)
        if doubtful or pack.any_of(pack.text.questions).search(sentence):
            continue
        plain = [piece.strip().rstrip(".!。！~ ") for piece in breaks.split(sentence) if piece]
        clauses = tuple((clause, denials.search(clause) is not None) for clause in plain)
        found.append(_Told(sentence, denials.search(sentence) is not None, clauses))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _Expressions:
    """The expressions of a pack, with its words for persons filled in."""

    doubts: Sought
    statements: Sought
    changes: Sought
    verbs: Mapping[str, Sought]


@lru_cache(maxsize=16)
def _sought(pack: LanguagePack) -> _Expressions:
    def filled(sources: tuple[str, ...]) -> Sought:
        return Sought(pack.pattern(pack.relations.filled(source)) for source in sources)

    rules = pack.relations
    verbs = {key: filled(sources) for key, sources in rules.verbs.items()}
    return _Expressions(filled(rules.doubts), filled((*rules.statements, *rules.mutual)), filled(rules.changes), verbs)


class _Reader:
    """Reads one message; keeps the clauses before the one that is read, for "his boss is"."""

    def __init__(self, pack: LanguagePack, known: tuple[str, ...], *, denied: bool = False) -> None:
        self.pack = pack
        self.rules = pack.relations
        self.known = tuple(name for name in known if name not in (USER, CHARACTER))
        self.denied = denied
        self.before: list[str] = []

    def read(self, text: str) -> Iterator[Claim]:
        for told in _told(text[:LONGEST], self.pack):
            if not self.denied and not told.denies:
                yield from self._changed(told.sentence)
            for clause, denies in told.clauses:
                claim = self._clause(clause) if denies == self.denied else None
                if claim is not None:
                    yield replace(claim, quote=told.sentence.strip())
                self.before.append(clause)

    def _clause(self, clause: str) -> Claim | None:
        rules = self.rules
        if self.denied:
            clause = self._affirmed(clause)
        sought = _sought(self.pack)
        for match in self._matches(sought.statements, clause):
            other = match.get("b") or (self._meant() if match.get("own") else "")
            claim = self._claim(match["a"], other, match["r"])
            if claim is not None:
                return claim
        for key, expressions in sought.verbs.items():
            kind = rules.by_key.get(key)
            for match in self._matches(expressions, clause):
                claim = self._claim(match["a"], match["b"], kind.words[0]) if kind is not None and kind.words else None
                if claim is not None:
                    return claim
        return None

    def _affirmed(self, clause: str) -> str:
        """A clause with its denial taken out ("is not" gives "is", 不是 gives 是)."""
        plain = clause
        for rewrites in (self.pack.text.negations, self.rules.affirmed):
            for source, put in rewrites:
                plain = self.pack.pattern(source).sub(put, plain)
            if plain != clause:
                break
        return plain

    def _claim(self, name: str, other: str, word: str) -> Claim | None:
        """``name`` is the ``word`` of ``other``."""
        name, other, word = name.strip(), other.strip(), word.strip()
        if not self._is_name(name) or not self._is_name(other) or fold(name) == fold(other):
            return None
        found = self.rules.by_word.get(word.casefold())
        if found is None or found[0].kind != "person":
            return None
        attribute = self._attribute_of(word)
        if attribute is None:
            return Claim(other, fold(word), name, name=name, kind=word, predicate=name)
        value = self.pack.wording.kind_named.format(kind=word, name=name)
        spec = self.pack.attribute(attribute)
        single = spec is not None and spec.single
        return Claim(other, attribute, value, kind=word, name=name, single=single, predicate=value)

    def _attribute_of(self, word: str) -> str | None:
        """The attribute under which the pack keeps somebody who is called so."""
        kinds = self.pack.wording.kinds
        found = (a.key for a in self.pack.attributes if a.key in RELATIVES)
        return next((key for key in found if fold(word) in map(fold, kinds.get(key, ()))), None)

    def _changed(self, sentence: str) -> Iterator[Claim]:
        """Read where somebody worked, and where he works now."""
        kind = self.rules.by_attribute.get(WORKPLACE)
        if kind is None or not kind.former:
            return
        for match in self._matches(_sought(self.pack).changes, sentence.strip().rstrip(".!。！~ ")):
            who = SPEAKER if match["me"] else match["a"].strip()
            if who != SPEAKER and not self._is_name(who):
                continue
            old = clean_value(match["old"], self.pack)
            new = clean_value(match["new"], self.pack)
            if who == SPEAKER and not new:
                continue  # what somebody says he was is no fact about him now
            if old:
                yield Claim(who, kind.former[0], old, quote=sentence, predicate=old)
            if new:
                yield Claim(who, WORKPLACE, new, quote=sentence, single=True, predicate=new)
            return

    def _matches(self, sought: Sought, clause: str) -> Iterator[Mapping[str, str]]:
        """The groups of the patterns that match, absent ones empty. Names that are known are tried as they stand, then as known
        ones: one sign stands for each, so that no pattern depends on who is spoken of in a talk.
        """
        likely = sought.likely(clause)  # no expression needs a letter of a name
        signed = self._signed(clause) if likely else clause
        for expression in likely:
            match = expression.match(clause) or (expression.match(signed) if signed != clause else None)
            if match is not None:
                yield {name: self._unsigned(words or "") for name, words in match.groupdict().items()}

    def _signed(self, clause: str) -> str:
        if not self.known:
            return clause
        expression, signs = _signs(self.known)
        return expression.sub(lambda match: signs[fold(match[0])], clause)

    def _unsigned(self, words: str) -> str:
        return "".join(self.known[ord(sign) - FIRST_SIGN] if sign in KNOWN_SIGNS else sign for sign in words)

    def _mentioned(self, clause: str) -> str:
        """Who a clause begins with; empty where it is nobody."""
        match = self.pack.pattern("^{name}").match(clause)
        names = [match[0]] if match is not None else []
        names += [name for name in self.known if clause.startswith(name)]
        longest = max(names, key=len, default="")
        return longest if self._is_name(longest) else ""

    def _meant(self) -> str:
        """Who "his" and "her" mean: the only one who was spoken of in this message."""
        spoken_of = set(map(self._mentioned, self.before)) - {""}
        return next(iter(spoken_of)) if len(spoken_of) == 1 else ""

    def _is_name(self, name: str) -> bool:
        if not name or len(name) > LONGEST_NAME:
            return False
        if name in self.known:
            return True
        if any(self.pack.pattern(source).fullmatch(name) for source in self.rules.not_names):
            return False
        if not self._may_be_one(name.lower()):
            return False
        words = name.split()
        return has_han(name) or fold(words[0]) not in self.pack.text.stopwords

    def _may_be_one(self, lowered: str) -> bool:
        """Whether a name is neither that of a well-known place nor a word that is never one."""
        cues = self.pack.entities
        place = cues.known_phrases.at(lowered, 0)
        return lowered not in cues.never and (place is None or place.end < len(lowered))


@lru_cache(maxsize=256)
def _signs(known: tuple[str, ...]) -> tuple[re.Pattern[str], Mapping[str, str]]:
    """An expression for the known names, longest first, and the sign of each by the folded name."""
    ordered = sorted(known[: len(KNOWN_SIGNS)], key=len, reverse=True)
    pieces = (re.escape(one) if has_han(one) else rf"(?<!\w){re.escape(one)}(?!\w)" for one in ordered)
    signs = {
        fold(name): chr(FIRST_SIGN + number) for number, name in reversed(list(enumerate(known[: len(KNOWN_SIGNS)])))
    }
    return re.compile("|".join(pieces), re.IGNORECASE), signs
