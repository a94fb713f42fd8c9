"""How third persons stand to each other ("Zhang San is Li Si's boss", 张三是李四的领导), and where they worked before.

Only whole clauses that name both are read, and only when both are certainly names: an edge between the wrong two is worse than none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from harness.language.sections_relations import FIRST_SIGN, KNOWN_SIGNS
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


class _Reader:
    """Reads one message; keeps who was spoken of, for "his boss is"."""

    def __init__(self, pack: LanguagePack, known: tuple[str, ...], *, denied: bool = False) -> None:
        self.pack = pack
        self.rules = pack.relations
        self.known = tuple(name for name in known if name not in (USER, CHARACTER))
        self.denied = denied
        self.spoken_of: set[str] = set()

    def read(self, text: str) -> Iterator[Claim]:
        rules, pack = self.rules, self.pack
        if not rules.statements:
            return
        told = plain_text(_QUOTED.sub(" \n ", text[:LONGEST]), pack)
        if rules.doubts and pack.any_of(tuple(map(rules.filled, rules.doubts))).search(told):
            return
        for sentence in sentences(told):
            doubtful = pack.finds(pack.text.hypotheticals, sentence) or pack.finds(pack.text.reports, sentence)
            if doubtful or pack.any_of(pack.text.questions).search(sentence):
                continue
            if not self.denied:
                yield from self._changed(sentence)
            for clause in (piece for piece in pack.any_of(pack.text.breaks).split(sentence) if piece):
                plain = clause.strip().rstrip(".!。！~ ")
                claim = self._clause(plain)
                if claim is not None:
                    yield replace(claim, quote=sentence.strip())
                self._mention(plain)

    def _clause(self, clause: str) -> Claim | None:
        rules, pack = self.rules, self.pack
        denies = pack.any_of(rules.denials).search(clause)
        if (denies is not None) != self.denied:
            return None
        if denies is not None:
            clause = self._affirmed(clause)
        for match in self._matches((*rules.statements, *rules.mutual), clause):
            other = match.get("b") or (self._meant() if match.get("own") else "")
            claim = self._claim(match["a"], other, match["r"])
            if claim is not None:
                return claim
        for key, sources in rules.verbs.items():
            kind = rules.by_key.get(key)
            for match in self._matches(sources, clause):
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
        if kind is None or not kind.former or self.pack.any_of(self.rules.denials).search(sentence):
            return
        for match in self._matches(self.rules.changes, sentence.strip().rstrip(".!。！~ ")):
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

    def _matches(self, sources: tuple[str, ...], clause: str) -> Iterator[Mapping[str, str]]:
        """The groups of the patterns that match, absent ones empty. Names that are known are tried as they stand, then as known
        ones: one sign stands for each, so that no pattern depends on who is spoken of in a talk.
        """
        signed = self._signed(clause)
        for source in sources:
            expression = self.pack.pattern(self.rules.filled(source))
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

    def _mention(self, clause: str) -> None:
        """Take up who a clause begins with."""
        for source in ("^{name}",):
            match = self.pack.pattern(source).match(clause)
            names = [match[0]] if match is not None else []
            names += [name for name in self.known if clause.startswith(name)]
            self.spoken_of |= {max(names, key=len)} if names and self._is_name(max(names, key=len)) else set()

    def _meant(self) -> str:
        """Who "his" and "her" mean: the only one who was spoken of in this message."""
        return next(iter(self.spoken_of)) if len(self.spoken_of) == 1 else ""

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
