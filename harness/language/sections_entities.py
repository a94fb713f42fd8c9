"""Pack section ``entities``: how names and things are introduced and referred to."""

from __future__ import annotations

import re
from functools import cached_property

from pydantic import Field

from harness.language.phrases import Phrases, Regex, alternatives, caseless, fill
from harness.language.sections_focus import FocusCues
from harness.language.sections_people import PeopleCues
from harness.state.base import Frozen

Words = tuple[str, ...]


class NamePattern(Frozen):
    """A wording that introduces something by name.

    Attributes:
        pattern: regular expression with a group ``name``. ``{name}`` stands for the section's ``name_pattern`` (which
            has that group), ``{noun}`` for its nouns (group ``noun``: their kind becomes the kind of what is named),
            ``{relation}`` for its relations (likewise).
        kind: the kind when no noun tells it.
        hints: the pattern is tried only on texts with one of these in them (it saves time; case is ignored).
    """

    pattern: str
    kind: str = ""
    hints: Words = ()


class EntityCues(Frozen):
    """Section ``entities``: how names and things are introduced and referred to.

    Attributes:
        name_pattern: regular expression of one proper name.
        names: wordings that introduce a name.
        known: kind -> well-known names (cities, countries).
        given_names: ``female`` / ``male`` -> common given names.
        name_particles: small words inside names ("of", "van").
        never_names: capitalised or name-like words that are no names.
        nouns: kind -> nouns that stand for such a thing ("camera": thing; 猫: animal).
        relations: nouns for persons by relation ("sister", 同事), which make "my sister" an entity.
        gender: ``female`` / ``male`` -> nouns and titles that tell it.
        phrases: wordings that mention a thing by its noun; groups ``noun``, and may have ``adjective``.
            ``{noun}`` stands for the listed nouns, ``{relation}`` for ``relations``.
        plain_adjectives: adjectives that do not help to tell one thing from another; left out of names.
        user_owner, own_owner: words right before a noun that make it the user's or the listener's ("my", "your").
        owned: how the character's own relations are named: ``{owner}``, ``{noun}``.
        articles: words before an item of a list that are no part of its name.
        list_choices: joiners that make a list of two bare items (还是).
        list_joiners: words that join the last item of a list. ``list_leads``: words after which a list begins.
        list_whole: words that hold one of those and are not cut by it (和平, 如家): parts of names.
        list_heads: words that begin the question a list answers ("which"); what begins with one is no item.
        list_counts: number words before the noun of a list that is announced ("two hotels, …"), and how many they are.
        list_clauses: words that begin a clause: what begins with one is no item.
        list_tails: words that end a list. ``list_separators``: characters between items.
        pronouns: ``female`` / ``male`` / ``people`` / ``thing`` / ``place`` -> pronouns. ``possessives``: the same for "his", "its".
        ordinals: wordings that pick from a list; groups ``n`` (looked up in ``numbers``) and maybe ``noun`` or
            ``classifier``. ``{number}``, ``{noun}``, ``{classifier}`` stand for the listed words.
        numbers: number word -> number; -1 is the last one. Digits are understood without being listed.
        classifiers: classifier -> kinds it goes with (家: place, organization).
        pair_words: members of ``numbers`` that may pick from a pair that was no list ("latter").
        same: wordings that say two are one ("she is the colleague I told you about"); groups ``one`` and ``other``, each a name, a noun
            or a pronoun.
        introductions: wordings by which a speaker tells their own name; group ``name``, or ``given`` where only a known given
            name counts ("I'm Tom", but not "I'm Irish").
        told_apart: two items of a list with words about each ("one is …, the other is …"); groups ``a``, ``b`` and maybe ``third``.
        compound_heads: characters that make another thing of a noun before them (面包 is none in 面包车).
        others: wordings for the one of two that was not spoken of last ("the other one").
        pointed: wordings that point at a thing by its noun ("that shop"); group ``noun``.
        bare: questions with a "this" or "that" that is a thing; group ``ref``.
        again: messages that ask the question before again of something else ("what about X?"); group ``name``.
        times: words for a time that may take each other's place in a question asked again ("today", "tomorrow").
        topicless: whole messages that do not say what they ask about; group ``head`` (what stands before the topic) or
            ``question`` (then ``topicless_form`` says how topic and question are joined).
        matter_before: what stands before an "it" that mostly means a matter, not a thing ("do it").
        place_before: what stands before a "there" that has its place in the same message.
        several_before: what, said before "they" in the same message, is what it means.
        plurals: nouns for several persons ("parents"), which "they" means. They are ``relations``, too.
        joined, joined_between: how several names are put for "they": all but the last ``{first}``, the last ``{second}``.
        demonstratives: wordings like "that one", 那个 that stand for a thing; maybe with a group ``classifier``.
        not_referring: wordings in which a pronoun refers to nothing ("it is raining").
        definite: how a thing without proper name is put into a sentence: ``{name}``.
        possessive: how a possessor is put: ``{name}``.
        at_place, in_place, to_place: how a place replaces "there": one of its own name, a known city or country, after
            a word of ``motion``.
        people: how the speakers of a scene refer to each other.
        focus: what messages are about that name nothing by its form.
    """

    name_pattern: str = ""
    names: tuple[NamePattern, ...] = ()
    known: dict[str, Words] = Field(default_factory=dict)
    given_names: dict[str, Words] = Field(default_factory=dict)
    name_particles: Words = ()
    never_names: Words = ()
    nouns: dict[str, Words] = Field(default_factory=dict)
    relations: Words = ()
    gender: dict[str, Words] = Field(default_factory=dict)
    phrases: tuple[str, ...] = ()
    plain_adjectives: Words = ()
    user_owner: Words = ()
    own_owner: Words = ()
    owned: str = "{owner} {noun}"
    articles: Words = ()
    list_choices: Words = ()
    list_joiners: Words = ()
    list_heads: Words = ()
    list_counts: dict[str, int] = Field(default_factory=dict)
    list_leads: Words = ()
    list_whole: Words = ()
    list_tails: Words = ()
    list_clauses: Words = ()
    list_separators: str = ",、，"
    told_apart: tuple[str, ...] = ()
    compound_heads: str = ""
    pronouns: dict[str, Words] = Field(default_factory=dict)
    possessives: dict[str, Words] = Field(default_factory=dict)
    ordinals: tuple[str, ...] = ()
    numbers: dict[str, int] = Field(default_factory=dict)
    classifiers: dict[str, Words] = Field(default_factory=dict)
    pair_words: Words = ()
    same: tuple[str, ...] = ()
    introductions: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    pointed: tuple[str, ...] = ()
    bare: tuple[str, ...] = ()
    again: tuple[str, ...] = ()
    times: Words = ()
    topicless: tuple[str, ...] = ()
    topicless_form: str = "{question} {topic}"
    several_before: Regex | None = None
    matter_before: Regex | None = None
    place_before: Regex | None = None
    plurals: Words = ()
    joined: str = "{first}, {second}"
    joined_between: str = ", "
    demonstratives: tuple[str, ...] = ()
    not_referring: tuple[Regex, ...] = ()
    definite: str = "{name}"
    possessive: str = "{name}"
    at_place: str = "{name}"
    in_place: str = "{name}"
    to_place: str = "{name}"
    motion: Words = ()
    focus: FocusCues = FocusCues()
    people: PeopleCues = PeopleCues()

    @cached_property
    def capitals(self) -> re.Pattern[str]:
        """A sequence of capitalised Latin words, with particles between them."""
        letter = r"[^\W_\u3400-\u9fff]"
        word = rf"[A-Z]{letter}*(?:[&-]{letter}+| & (?=[A-Z]){letter}+)*"
        particles = alternatives(self.name_particles)
        return re.compile(
            rf"(?:(?<![\w'])|(?<=[\u3400-\u9fff])){word}(?:'[A-Z][a-z]+)?(?: (?:(?:{particles}) )?{word})*"
        )

    @cached_property
    def kind_of_noun(self) -> dict[str, str]:
        """Noun -> kind; relations are persons."""
        kinds = {noun.lower(): kind for kind, nouns in self.nouns.items() for noun in nouns}
        return {**kinds, **{relation.lower(): "person" for relation in self.relations}}

    @cached_property
    def noun_phrases(self) -> Phrases[str]:
        """Every noun and relation -> kind, indexed."""
        return Phrases(self.kind_of_noun)

    @cached_property
    def known_phrases(self) -> Phrases[str]:
        """Well-known names -> kind, indexed."""
        return Phrases({name: kind for kind, names in self.known.items() for name in names})

    @cached_property
    def gender_of_name(self) -> dict[str, str]:
        """Given names, nouns and titles -> ``female`` or ``male``."""
        groups = [*self.given_names.items(), *self.gender.items()]
        return {word.lower(): gender for gender, words in groups for word in words}

    @cached_property
    def given(self) -> frozenset[str]:
        """Given names, lower-cased."""
        return frozenset(name.lower() for names in self.given_names.values() for name in names)

    @cached_property
    def never(self) -> frozenset[str]:
        """``never_names``, lower-cased."""
        return frozenset(name.lower() for name in self.never_names)

    @cached_property
    def relation_set(self) -> frozenset[str]:
        """``relations``, lower-cased."""
        return frozenset(relation.lower() for relation in self.relations)

    @cached_property
    def _slots(self) -> dict[str, str]:
        relations = alternatives(self.relations)
        return {
            "given": f"[{re.escape(self.focus.given_characters)}]" if self.focus.given_characters else "(?!)",
            "name": self.name_pattern or "(?P<name>(?!))",
            "number": alternatives(self.numbers),
            "classifier": alternatives(self.classifiers),
        } | {"noun": f"(?:{alternatives(self.kind_of_noun)})", "relation": f"(?:{relations})"}

    def compile(self) -> None:
        """Compile every pattern of the section. Raises re.error at the first that is wrong."""
        _ = (self.name_expressions, self.phrase_expressions, self.ordinal_expressions, self.demonstrative_expressions)
        _ = (self.bare_expressions, self.again_expressions, self.topicless_expressions, self.pointed_expressions)
        _ = (self.told_apart_expressions, self.other_expressions, self.same_expressions, self.introduction_expressions)
        _ = (self.focus.frame_expressions, self.focus.any_of("dull_forms"))

    def expression(self, pattern: str) -> re.Pattern[str]:
        """A pattern of the section with its slots filled, compiled; case is ignored outside ``{name}``."""
        return caseless(fill(pattern, self._slots))

    @cached_property
    def name_expressions(self) -> tuple[tuple[re.Pattern[str], NamePattern], ...]:
        """``names`` compiled."""
        slots = {
            **self._slots,
            "noun": rf"(?P<noun>{self._slots['noun']})",
            "relation": rf"(?P<noun>{self._slots['relation']})",
        }
        return tuple((caseless(fill(item.pattern, slots)), item) for item in self.names)

    @cached_property
    def phrase_expressions(self) -> tuple[re.Pattern[str], ...]:
        """``phrases``, compiled."""
        return tuple(self.expression(pattern) for pattern in self.phrases)

    @cached_property
    def ordinal_expressions(self) -> tuple[re.Pattern[str], ...]:
        """``ordinals``, compiled."""
        return tuple(self.expression(pattern) for pattern in self.ordinals)

    @cached_property
    def bare_expressions(self) -> tuple[re.Pattern[str], ...]:
        """``bare``, compiled."""
        return tuple(self.expression(pattern) for pattern in self.bare)

    @cached_property
    def again_expressions(self) -> tuple[re.Pattern[str], ...]:
        """``again``, compiled."""
        return tuple(caseless(pattern) for pattern in self.again)

    @cached_property
    def time_phrases(self) -> Phrases[str]:
        """``times``, indexed."""
        return Phrases.of(self.times)

    @cached_property
    def topicless_expressions(self) -> tuple[re.Pattern[str], ...]:
        """``topicless``, compiled."""
        return tuple(caseless(pattern) for pattern in self.topicless)

    @cached_property
    def same_expressions(self) -> tuple[re.Pattern[str], ...]:
        """``same``, compiled."""
        return tuple(self.expression(pattern) for pattern in self.same)

    @cached_property
    def introduction_expressions(self) -> tuple[re.Pattern[str], ...]:
        """``introductions``, compiled."""
        return tuple(self.expression(pattern) for pattern in self.introductions)

    @cached_property
    def told_apart_expressions(self) -> tuple[re.Pattern[str], ...]:
        """``told_apart``, compiled."""
        return tuple(self.expression(pattern) for pattern in self.told_apart)

    @cached_property
    def other_expressions(self) -> tuple[re.Pattern[str], ...]:
        """``others``, compiled."""
        return tuple(self.expression(pattern) for pattern in self.others)

    @cached_property
    def pointed_expressions(self) -> tuple[re.Pattern[str], ...]:
        """``pointed``, compiled."""
        return tuple(self.expression(pattern) for pattern in self.pointed)

    @cached_property
    def demonstrative_expressions(self) -> tuple[re.Pattern[str], ...]:
        """``demonstratives``, compiled."""
        return tuple(self.expression(pattern) for pattern in self.demonstratives)

    @cached_property
    def pronoun_phrases(self) -> Phrases[tuple[str, bool]]:
        """Every pronoun -> (what it stands for, whether it is possessive); a word of both kinds is no possessive."""
        plain = {word: (sort, False) for sort, words in self.pronouns.items() for word in words}
        owned = {word: (sort, True) for sort, words in self.possessives.items() for word in words}
        return Phrases({**owned, **plain})

    @cached_property
    def possessive_set(self) -> frozenset[str]:
        """Words that can be possessive, lower-cased."""
        return frozenset(word.lower() for words in self.possessives.values() for word in words)
