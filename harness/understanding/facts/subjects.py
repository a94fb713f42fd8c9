"""Whom a clause is about: its speaker, somebody it names, or the one spoken of last."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.understanding.facts.keys import FAMILY
from harness.understanding.facts.predicates import plain_text
from harness.understanding.text import fold, has_han

if TYPE_CHECKING:
    from harness.language import LanguagePack

SPEAKER = "speaker"
"""Subject of a claim about whoever speaks (or, read swapped, about whoever is spoken to)."""

Subject = tuple[str, str]
"""A name or :data:`SPEAKER`, and how he stands to the speaker ("sister"); one of the two may be empty."""


class Subjects:
    """Finds the subjects of clauses one after the other; keeps who was spoken of last, for pronouns."""

    def __init__(self, pack: LanguagePack, third: str = "", names: tuple[str, ...] = ()) -> None:
        """``third``: whom "he" and "she" mean at the beginning. ``names``: of those who are known already."""
        self.pack = pack
        self.rules = pack.text
        self.third: Subject = self._known_as(third)
        self.names = names

    def _known_as(self, words: str) -> Subject:
        """A subject by its name, or by how he stands to the speaker where that is a word for one of his family.

        Nobody for other such words: "the teacher" may be anyone's.
        """
        wording = self.pack.wording
        bare = plain_text(words, self.pack) if words else ""
        if not bare or "kin" not in wording.macros or not self.pack.pattern("{kin}").fullmatch(bare):
            return words, ""
        words = bare
        word = fold(wording.in_full.get(fold(words), words))
        near = (kind for key in FAMILY for kind in wording.kinds.get(key, ()))
        return "", words if word in map(fold, near) else ""

    def resolve(self, clause: str, previous: Subject | None) -> tuple[Subject, str] | None:
        """The subject of a clause, and its predicate in the first person's form; None when there is no telling."""
        presented = self._presented(clause)
        if presented:
            self.third = (presented, "")
            return None
        return (
            self._owner(clause)
            or self._named(clause)
            or self._speaker(clause)
            or self._known(clause)
            or self._pronoun(clause)
            or self._nobody(clause, previous)
        )

    def mention(self, sentence: str) -> None:
        """Take up who is brought up without anything being said of him ("do you know Peter?")."""
        for match in self.pack.matches(self.rules.mentions, sentence):
            if self._is_name(match["name"]):
                self.third = (match["name"].strip(), "")
                return

    def reported(self, sentence: str) -> str:
        """What somebody else said of himself ("Jack told me he loves golf": "he loves golf"); empty when nothing."""
        for source in self.rules.told:
            match = self.pack.pattern(source).match(sentence)
            if match is None:
                continue
            groups = match.groupdict()
            name, relation = (groups.get("name") or "").strip(), (groups.get("relation") or "").strip()
            if relation or self._is_name(name):
                self.third = (name, relation)
                return sentence[match.end() :].strip()
        return ""

    def _owner(self, clause: str) -> tuple[Subject, str] | None:
        """Read "Anna's dog is called Rex" as said by Anna: "my dog is called Rex"."""
        for source in self.rules.owners:
            match = self.pack.pattern(source).match(clause)
            if match is None:
                continue
            groups = match.groupdict()
            name, relation = groups.get("name") or "", groups.get("relation") or ""
            if relation or self._is_name(name):
                self.third = (name, relation)
                return self.third, self.rules.own + clause[match.end() :].strip()
        return None

    def _named(self, clause: str) -> tuple[Subject, str] | None:
        for source in self.rules.third:
            match = self.pack.pattern(source).match(clause)
            if match is None:
                continue
            groups = match.groupdict()
            name, relation = (groups.get("name") or "").strip(), (groups.get("relation") or "").strip()
            if name and not relation and not self._is_name(name):
                continue
            if name.startswith("§") or relation.startswith("§"):
                return None
            self.third = (name, relation)
            return self.third, self._first_person(clause[match.end() :].strip())
        return None

    def is_speakers(self, clause: str) -> bool:
        """Whether a clause says that it is about its speaker."""
        return self._speaker(clause) is not None

    def _speaker(self, clause: str) -> tuple[Subject, str] | None:
        for source in self.rules.first:
            match = self.pack.pattern(source).match(clause)
            if match is not None:
                return (SPEAKER, ""), clause[match.end() :].strip()
        return None

    def _pronoun(self, clause: str) -> tuple[Subject, str] | None:
        match = self.pack.any_of(self.rules.pronouns).match(clause) if any(self.third) else None
        return None if match is None else (self.third, self._first_person(clause[match.end() :].strip()))

    def _nobody(self, clause: str, previous: Subject | None) -> tuple[Subject, str] | None:
        """A clause that has lost its subject is about whom the one before it was about."""
        match = None if previous is None else self.pack.any_of(self.rules.bare).match(clause)
        if previous is None or match is None:
            return None
        rest = clause[match.end() :].strip()
        return previous, rest if previous[0] == SPEAKER else self._first_person(rest)

    def _known(self, clause: str) -> tuple[Subject, str] | None:
        """A clause that begins with the name of somebody known, whatever shape that name has (茂琳是护士)."""
        for name in self.names:
            rest = clause[len(name) :]
            whole = has_han(name) or not rest[:1].isalnum()
            if fold(clause[: len(name)]) != fold(name) or not whole:
                continue
            if self.pack.pattern("{verb_third}").match(rest.strip()):
                self.third = (name, "")
                return self.third, self._first_person(rest.strip())
        return None

    def _presented(self, clause: str) -> str:
        """The name of somebody who is presented ("this is John")."""
        found = (self.pack.pattern(source).match(clause) for source in self.rules.presents)
        return next((match["name"].strip() for match in found if match is not None), "")

    def _is_name(self, name: str) -> bool:
        return bool(name.strip()) and fold(name.split(maxsplit=1)[0]) not in self.rules.stopwords

    def _first_person(self, predicate: str) -> str:
        return self.pack.rewrite(predicate, self.rules.deinflect)


__all__ = ["SPEAKER", "Subject", "Subjects"]
