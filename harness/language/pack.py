"""LanguagePack: one language, as its YAML file describes it."""

from __future__ import annotations

import re
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import Field, PrivateAttr, field_validator

from harness.errors import LanguageError
from harness.language.classifier import LinearClassifier, find_classifier
from harness.language.phrases import Phrases, caseless
from harness.language.scripts import is_script, script_weights
from harness.language.sections_agreement import AgreementCues
from harness.language.sections_called import CalledCues
from harness.language.sections_checks import HoldingLines, PremiseCues, ReplyCues
from harness.language.sections_constraints import ConstraintCues
from harness.language.sections_examples import Example
from harness.language.sections_facts import AnswerRules, Attribute, FactWording, TextRules
from harness.language.sections_grading import GradingCues
from harness.language.sections_guards import GuardCues
from harness.language.sections_history import HistoryCues
from harness.language.sections_keeping import KeepingCues
from harness.language.sections_lines import EngineLines
from harness.language.sections_own_answers import OwnAnswers
from harness.language.sections_places import Places
from harness.language.sections_recall import RecallCues
from harness.language.sections_redaction import RedactionCues
from harness.language.sections_relations import RelationRules
from harness.language.sections_task import TaskCues
from harness.language.sections_tracking import (
    CommitmentCues,
    EmotionLexicon,
    EntityCues,
    SummaryLines,
    TimeWords,
    TopicCues,
)
from harness.language.sections_wants import WantRules
from harness.language.sought import Sought
from harness.language.sources import pattern_sources
from harness.state.base import Frozen

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

WEIGHTS_FOLDER = "weights"
"""Beside a pack's file: its classifiers."""
_MACRO = re.compile(r"\{([a-z_]+)\}")


class LanguagePack(Frozen):
    """Everything the rules know about one language. Two packs are equal only when they are the same object.

    Attributes:
        code: short code (``en``, ``zh``): the file's name and the value of ``DialogueState.language``.
        name: the language's name, in English.
        script: the Unicode script it is written in, in lower case: ``latin``, ``han``, ``cyrillic``, ``kana`` (Japanese,
            Han characters beside kana included), ``hangul``, ``arabic`` …
        frequent: its commonest words, by which it is told from other packs of the same script; the stop words of its
            ``text`` section when empty.
        passing: what people say in a talk of another language, too ("thank you", 早上好); it changes no talk's language.
    """

    code: str
    name: str
    script: str
    frequent: tuple[str, ...] = ()
    passing: tuple[str, ...] = ()
    text: TextRules = Field(default_factory=TextRules)
    wording: FactWording = Field(default_factory=FactWording)
    attributes: tuple[Attribute, ...] = ()
    answering: AnswerRules = Field(default_factory=AnswerRules)
    wants: WantRules = Field(default_factory=WantRules)
    premise: PremiseCues = Field(default_factory=PremiseCues)
    guards: GuardCues = Field(default_factory=GuardCues)
    reply: ReplyCues = Field(default_factory=ReplyCues)
    grading: GradingCues = Field(default_factory=GradingCues)
    called: CalledCues = Field(default_factory=CalledCues)
    holding: HoldingLines = Field(default_factory=HoldingLines)
    lines: EngineLines = Field(default_factory=EngineLines)
    recall: RecallCues = Field(default_factory=RecallCues)
    own_answers: OwnAnswers = Field(default_factory=OwnAnswers)
    keeping: KeepingCues = Field(default_factory=KeepingCues)
    redaction: RedactionCues = Field(default_factory=RedactionCues)
    history: HistoryCues = Field(default_factory=HistoryCues)
    places: Places = Field(default_factory=Places)
    agreement: AgreementCues = Field(default_factory=AgreementCues)
    topics: TopicCues = Field(default_factory=TopicCues)
    emotion: EmotionLexicon = Field(default_factory=EmotionLexicon)
    entities: EntityCues = Field(default_factory=EntityCues)
    commitments: CommitmentCues = Field(default_factory=CommitmentCues)
    task: TaskCues = Field(default_factory=TaskCues)
    constraints: ConstraintCues = Field(default_factory=ConstraintCues)
    summary: SummaryLines = Field(default_factory=SummaryLines)
    time: TimeWords = Field(default_factory=TimeWords)
    relations: RelationRules = Field(default_factory=RelationRules)
    examples: tuple[Example, ...] = ()

    _folder: Path | None = PrivateAttr(default=None)
    _beside: Mapping[str, LanguagePack] = PrivateAttr(default_factory=dict)

    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other

    @field_validator("script")
    @classmethod
    def _known_script(cls, value: str) -> str:
        if not is_script(value):
            message = f"expected the name of a Unicode script in lower case (latin, han, cyrillic …), got {value!r}"
            raise ValueError(message)
        return value

    @cached_property
    def frequent_phrases(self) -> Phrases[str]:
        """``frequent``, indexed."""
        return Phrases.of(self.frequent or self.text.stopwords)

    @cached_property
    def passing_phrases(self) -> Phrases[str]:
        """``passing``, indexed."""
        return Phrases.of(self.passing)

    @cached_property
    def _compiled(self) -> dict[str | tuple[str, ...], re.Pattern[str]]:
        return {}

    @cached_property
    def _listed(self) -> dict[int, tuple[tuple[str, ...], re.Pattern[str]]]:
        return {}

    @cached_property
    def _sought(self) -> dict[int, tuple[tuple[str, ...], Sought]]:
        return {}

    @cached_property
    def _rewritten(self) -> dict[int, tuple[tuple[tuple[str, str], ...], Sought]]:
        return {}

    def pattern(self, source: str) -> re.Pattern[str]:
        """A regular expression of the pack, macros filled in, case ignored. Compiled once.

        Raises:
            LanguageError: it does not compile, or names a macro the pack has not.
        """
        found = self._compiled.get(source)
        if found is None:
            try:
                found = caseless(self._expanded(source))
            except re.error as failure:
                message = f"Pack {self.code!r}: the pattern {source!r} is not a regular expression: {failure}."
                raise LanguageError(message, remedy="Correct it.", code=self.code, pattern=source) from failure
            self._compiled[source] = found
        return found

    def any_of(self, sources: tuple[str, ...]) -> re.Pattern[str]:
        """One regular expression for a whole list; matches nothing when the list is empty."""
        listed = self._listed.get(id(sources))  # a tuple works out its hash from all its members, each time
        if listed is not None and listed[0] is sources:
            return listed[1]
        found = self._compiled.get(sources)
        if found is None:
            found = self.pattern("|".join(f"(?:{source})" for source in sources) if sources else r"(?!)")
            self._compiled[sources] = found
            self._listed[id(sources)] = (sources, found)  # keeps the tuple, and so its identity
        return found

    def likely(self, sources: tuple[str, ...], text: str) -> Sequence[re.Pattern[str]]:
        """Those of a list of the pack that can match ``text``, compiled, in order."""
        return self._sought_of(sources).likely(text)

    def _sought_of(self, sources: tuple[str, ...]) -> Sought:
        known = self._sought.get(id(sources))
        if known is None or known[0] is not sources:
            known = self._sought[id(sources)] = (sources, Sought(map(self.pattern, sources)))
        return known[1]

    def matches(self, sources: tuple[str, ...], text: str) -> Iterator[re.Match[str]]:
        """The first match in ``text`` of each of a list of the pack that has one, in the order of the list."""
        return filter(None, (expression.search(text) for expression in self.likely(sources, text)))

    def finds(self, sources: tuple[str, ...], text: str) -> bool:
        """Whether any of a list of the pack is found in ``text``."""
        sought = self._sought_of(sources)
        if not sought.worth(text):
            return self.any_of(sources).search(text) is not None
        return any(expression.search(text) for expression in sought.likely(text))

    def rewrite(self, text: str, rewrites: tuple[tuple[str, str], ...]) -> str:
        """``text`` after all rewrites of a list of the pack, in order."""
        known = self._rewritten.get(id(rewrites))
        if known is None or known[0] is not rewrites:
            known = self._rewritten[id(rewrites)] = (rewrites, Sought(self.pattern(source) for source, _ in rewrites))
        expressions, done = known[1].expressions, -1
        rest = known[1].numbers(text)
        while rest:
            done, *rest = rest
            rewritten = expressions[done].sub(rewrites[done][1], text)
            if rewritten != text:  # what was put there may be what a later one looks for
                text = rewritten
                rest = [number for number in known[1].numbers(text) if number > done]
        return text

    def _expanded(self, source: str) -> str:
        def fill(match: re.Match[str]) -> str:
            name = match[1]
            if name in self.wording.macros:
                return f"(?:{self._expanded(self.wording.macros[name])})"
            if name in self.wording.kinds:
                members = sorted(self.wording.kinds[name], key=len, reverse=True)
                return f"(?:{'|'.join(members)})"
            message = f"Pack {self.code!r}: the pattern {source!r} uses the macro {name!r}, which is not defined."
            raise LanguageError(message, remedy="Add it to wording.macros or wording.kinds.", code=self.code)

        return _MACRO.sub(fill, source)

    @cached_property
    def _by_name(self) -> dict[str, Attribute]:
        found: dict[str, Attribute] = {}
        for attribute in self.attributes:
            for name in (attribute.key, *attribute.aliases):
                found.setdefault(name.casefold(), attribute)
        return found

    def attribute(self, name: str) -> Attribute | None:
        """The attribute of a key or alias, in any language its aliases are in; None for an open one."""
        return self._by_name.get(name.strip().casefold().replace("_", " ")) or self._by_name.get(
            name.strip().casefold()
        )

    def denies(self, name: str) -> bool:
        """Whether an alias lists what does not hold ("dislikes")."""
        spec = self.attribute(name)
        return spec is not None and name.strip().casefold() in {alias.casefold() for alias in spec.denied}

    @property
    def folder(self) -> Path | None:
        """Where the pack's file stands; None for one that was not read from a file."""
        return self._folder

    def classifier(self, name: str) -> LinearClassifier | None:
        """The small classifier ``name`` that came with the pack; None without one. Read once, at its first use.

        It is the file ``weights/<code>.<name>.weights`` in the folder of the pack's file.

        Raises:
            LanguageError: the file is damaged.
        """
        if self._folder is None:
            return None
        return find_classifier(self._folder / WEIGHTS_FOLDER, self.code, name)

    def from_folder(self, folder: Path) -> LanguagePack:
        """This pack, knowing the folder its file stands in."""
        self._folder = folder
        return self

    def beside(self, code: str) -> LanguagePack | None:
        """The pack of another language that was loaded together with this one, a project's own among them."""
        return self._beside.get(code)

    def written(self, text: str) -> LanguagePack:
        """The pack in whose script a text is written, of this one and those loaded with it; this one where it cannot be told."""
        weights = script_weights(text)
        script = max(weights, key=lambda name: weights[name], default=self.script)
        if script == self.script:
            return self
        return next((pack for pack in self._beside.values() if pack.script == script), self)

    def loaded_with(self, packs: Mapping[str, LanguagePack]) -> None:
        """Make the packs known that are loaded together with this one, by code."""
        self._beside = packs

    def check(self) -> None:
        """Compile every pattern. Raises LanguageError at the first that is wrong."""
        for _, source in self.sources():
            self.pattern(source)
        self.entities.compile()
        _ = (self.time.expressions, self.time.recurring_expression)
        self.guards.check()

    def sources(self) -> Iterable[tuple[str, str]]:
        """(field, pattern) of every pattern that is compiled by :meth:`pattern`."""
        return pattern_sources(self)
