"""Pack section ``commitments``: how promises are made, kept, broken and taken back."""

from __future__ import annotations

import re
from functools import cached_property

from pydantic import Field

from harness.language.phrases import LowerRegex, Phrases, alternatives
from harness.state.base import Frozen

Words = tuple[str, ...]


class CommitmentCues(Frozen):
    """Section ``commitments``: how promises are made, kept, broken and taken back.

    Attributes:
        promise: certain promises ("I promise to …", 我答应你…); group ``what``.
        intention: "I'll …", 我会…; group ``what``. A promise when it names the listener or begins with a verb of
            ``commissive``, unless it begins with a word of ``not_promised``.
        plan: "I'm going to …", 我要…; group ``what``. A promise when it names the listener, or has a verb of
            ``commissive`` and a time.
        commissive: verbs by which one binds oneself to the other ("send", 带).
        not_promised: what follows an intention that binds nobody ("be honest", 说).
        listener: words for the other side ("you", 你).
        for_listener: an intention that is done for the listener, whatever it is ("… for you", 替你…): it binds.
        done: how the clause of an intention shows that it has been done already, where a language has no other form for it
            (我给你带了礼物); never together with a time to come.
        hedges: wording that makes it no promise ("maybe", 可能).
        unsure: wording anywhere in a sentence that makes it a condition or a wish ("if", "I'd like to", 要是, 我想).
        split: where a sentence with two promises is parted (", and" before "I'll", ， before 我).
        reported: wording right before it that makes it someone else's or a past promise ("he said", 他说).
        plan_needs_listener: a plan is a promise only when it names the listener.
        lead, tail: words to cut from the beginning and the end of the text that is kept (会, "also"; "instead").
        due_lead: words before a time that go with it ("by", "until").
        request: a request; group ``what``. With a time it becomes a promise when the answer accepts it.
        lasting_request: the same without need of a time ("remember to …", 记得…).
        accept: how an answer accepts a request or an offer. ``accept_firmly``: so that it binds without a time, too
            ("I will", 我会的).
        told: what a request to be told of something asks about, in group ``told`` ("tell me *what you did this week*"): a time in
            it is none for the telling, which is done at once.
        decline: wording of an answer that accepts nothing after all ("but I can't").
        offer: an offer made as a question ("shall I …?", 要不要我…); group ``what``. A promise once it is accepted.
        of_others: promises in which somebody else has a part ("my sister promised to …", 我答应我妈…). Groups ``what``,
            ``by`` (the speaker without it) and ``to`` (the speaker without it).
        announced: the same with weaker words ("Tom said he'd …"); a promise only when ``what`` names the speaker.
        speaker: words for the speaker ("me", 我). ``possessive``: what may stand before a third person's name ("my").
        nobody: words that name nobody in particular in place of one ("he", 有人).
        ambiguous: those of ``commissive`` that may as well be done for oneself ("buy", 买): they bind only with the
            listener or a time.
        joining: verbs of going and taking part, which bind only together with the listener ("go", 去).
        questions: how a sentence begins that asks whether to do something.
        kept, kept_by_other: the promiser says it is done; the other side says so. Group ``what``.
        broken, broken_by_other: the same for not done.
        withdrawn, withdrawn_by_other: taken back by the promiser; released by the other side.
        verb_forms: form -> base form ("sent": "send"), to match a report with its promise.
        swap_person: words exchanged when a request becomes the promise of the other side ("me": "you").
    """

    promise: tuple[LowerRegex, ...] = ()
    intention: tuple[LowerRegex, ...] = ()
    plan: tuple[LowerRegex, ...] = ()
    plan_needs_listener: bool = False
    commissive: Words = ()
    not_promised: Words = ()
    listener: Words = ()
    for_listener: tuple[LowerRegex, ...] = ()
    done: tuple[LowerRegex, ...] = ()
    hedges: Words = ()
    unsure: tuple[LowerRegex, ...] = ()
    split: tuple[LowerRegex, ...] = ()
    reported: tuple[LowerRegex, ...] = ()
    lead: Words = ()
    tail: Words = ()
    due_lead: Words = ()
    request: tuple[LowerRegex, ...] = ()
    lasting_request: tuple[LowerRegex, ...] = ()
    accept: tuple[LowerRegex, ...] = ()
    accept_firmly: tuple[LowerRegex, ...] = ()
    told: tuple[LowerRegex, ...] = ()
    decline: tuple[LowerRegex, ...] = ()
    offer: tuple[LowerRegex, ...] = ()
    of_others: tuple[LowerRegex, ...] = ()
    announced: tuple[LowerRegex, ...] = ()
    speaker: Words = ()
    possessive: Words = ()
    nobody: Words = ()
    ambiguous: Words = ()
    joining: Words = ()
    questions: tuple[LowerRegex, ...] = ()
    kept: tuple[LowerRegex, ...] = ()
    kept_by_other: tuple[LowerRegex, ...] = ()
    broken: tuple[LowerRegex, ...] = ()
    broken_by_other: tuple[LowerRegex, ...] = ()
    withdrawn: tuple[LowerRegex, ...] = ()
    withdrawn_by_other: tuple[LowerRegex, ...] = ()
    verb_forms: dict[str, str] = Field(default_factory=dict)
    swap_person: dict[str, str] = Field(default_factory=dict)

    @cached_property
    def verb_phrases(self) -> Phrases[str]:
        """Every commissive verb and form -> its base form."""
        return Phrases({**{verb: verb for verb in self.commissive}, **self.verb_forms})

    @cached_property
    def self_phrases(self) -> Phrases[str]:
        """``speaker``, indexed."""
        return Phrases.of(self.speaker)

    @cached_property
    def nobody_phrases(self) -> Phrases[str]:
        """``nobody``, indexed."""
        return Phrases.of(self.nobody)

    @cached_property
    def joining_phrases(self) -> Phrases[str]:
        """``joining``, indexed."""
        return Phrases.of(self.joining)

    @cached_property
    def ambiguous_phrases(self) -> Phrases[str]:
        """``ambiguous``, indexed."""
        return Phrases.of(self.ambiguous)

    @cached_property
    def deed_phrases(self) -> Phrases[str]:
        """What is done: commissive verbs in all forms, and those of ``joining``, which count as one deed."""
        return Phrases({**{verb: verb for verb in self.commissive}, **self.verb_forms, **self._joined})

    @property
    def _joined(self) -> dict[str, str]:
        return dict.fromkeys(self.joining, self.joining[0]) if self.joining else {}

    @cached_property
    def possessive_expression(self) -> re.Pattern[str]:
        """``possessive`` at the beginning of a text."""
        return re.compile(rf"^(?:{alternatives(self.possessive)})\s*", re.IGNORECASE)

    @cached_property
    def lead_phrases(self) -> Phrases[str]:
        """``lead``, indexed."""
        return Phrases.of(self.lead)

    @cached_property
    def tail_expression(self) -> re.Pattern[str]:
        """``tail`` at the end of a text, one or more of them, each a word of its own or behind a Han character."""
        return re.compile(rf"(?:(?:\s+|(?<=[\u4e00-\u9fff]))(?:{alternatives(self.tail)}))+\W*$", re.IGNORECASE)

    @cached_property
    def due_lead_expression(self) -> str:
        """``due_lead`` before a time, as the beginning of a regular expression; matches nothing, too."""
        return rf"(?:\b(?:{alternatives(self.due_lead)})\s+)?"

    @cached_property
    def swap_phrases(self) -> Phrases[str]:
        """``swap_person``, indexed."""
        return Phrases(self.swap_person)

    @cached_property
    def not_promised_phrases(self) -> Phrases[str]:
        """``not_promised``, indexed."""
        return Phrases.of(self.not_promised)

    @cached_property
    def listener_phrases(self) -> Phrases[str]:
        """``listener``, indexed."""
        return Phrases.of(self.listener)

    @cached_property
    def hedge_phrases(self) -> Phrases[str]:
        """``hedges``, indexed."""
        return Phrases.of(self.hedges)
