"""Pack sections for the checks before and after a reply, and for the lines that hold a fact."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from harness.state.base import Frozen


class PremiseCues(Frozen):
    """Section ``premise``: how a message claims something about the character.

    Regular expressions with a group ``c`` for the claim, in the user's own words ("you …").

    Attributes:
        reported: claims about what the character said; even an undecided one is worth a notice.
        presupposed: claims taken for granted.
        roles: what the character is spoken to as ("as a nurse, you …"); a request in the same sentence changes nothing.
        once: what was so at an earlier time ("when you were a nurse"). Only a fact that says never decides against it;
            else it is worth a notice where nothing is known of it, but not when a group ``any`` took part.
        was_so: what shows in a fact that the opposite was so once ("divorced"); ``past``: in a question, that
            it asks for what was.
        owned: group ``n`` instead: a thing or relative of the character that is taken to exist; with an empty group
            ``other``, a further one.
        taken: sentences in which somebody or something owned, of whom nothing is known, is worth a notice.
        related: a relative ``n`` of the character does the work ``j``. ``same_relative``: alternations of words for one
            relative. ``work``: a line of work in the value of a fact.
        rewrites: questions that presuppose, put into the order of a statement, before anything is looked for.
        prefixes: what goes before ``c`` (a group ``third`` takes it to the first person before) when the named empty group took part, to make it a whole clause; several are
            tried in turn. A group ``past`` says that the claim is in the past form of reported speech.
        tags: what is cut from the end of a claim ("…, remember?", …吗).
        promises: reported words that are no claim but a promise or a request ("you'd call me").
        promised: in a message: the character is said to have promised or agreed to something, or to have done it together
            with the user ("remember when we went to Paris?"); a group ``c`` for what.
        elided: what a reported claim without a subject is completed with ("you said no pets").
        has: the sentence that a thing of ``owned`` presupposes, over ``{n}``; ``has_named`` over ``{name}`` too;
            ``has_other`` that there is a further one.
        direct: claims about the character that are simply stated.
        innocent: sentences that only look so. ``inquires``: sentences that ask what was said ("what did you say you …", 你说你养的是什么来着).
        asks_again: words with which a question asks for what was said already ("did you say", 来着).
        staged: messages that give the character a part in a game or scene.
    """

    inquires: tuple[str, ...] = ()
    asks_again: tuple[str, ...] = ()
    staged: tuple[str, ...] = ()
    reported: tuple[str, ...] = ()
    presupposed: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    once: tuple[str, ...] = ()
    was_so: tuple[str, ...] = ()
    past: tuple[str, ...] = ()
    owned: tuple[str, ...] = ()
    taken: tuple[str, ...] = ()
    related: tuple[str, ...] = ()
    same_relative: tuple[str, ...] = ()
    work: str = "(?!)"
    has: str = ""
    has_named: str = ""
    has_other: str = ""
    elided: str = ""
    rewrites: Mapping[str, str] = {}
    prefixes: Mapping[str, tuple[str, ...]] = {}
    tags: tuple[str, ...] = ()
    promises: tuple[str, ...] = ()
    promised: tuple[str, ...] = ()
    direct: tuple[str, ...] = ()
    innocent: tuple[str, ...] = ()

    @cached_property
    def rewritten(self) -> tuple[tuple[str, str], ...]:
        """``rewrites`` in order."""
        return tuple(self.rewrites.items())


class ReplyCues(Frozen):
    """Section ``reply``: what a reply must not do.

    Attributes:
        concessions: giving in to a false claim.
        echoes: short affirmations of a claim that something is so ("Yes, I do.").
        own_reports: "I told you (that)": what the character claims to have said counts as said.
        refusals: before a concession in the same clause, these turn it around ("I'm not sorry").
        agreement: how a reply begins that agrees; a concession when the reply does not state the fact.
        affirmations: admitting to have said it.
        sympathy: apologies that concede nothing; only looked at when no notice is out.
        character_breaks: talking as a program. ``denials``: saying that one is none.
        kin_named: a relative ``n`` by a word and by the name, for which NAME stands ("my sister NAME"). ``kin_near``: what goes
            before such a word without making it another ("half-", 表), or goes with it.
        kin_loosely: what is left out by those who call a relative by a wider word (表弟: 弟弟), though not the other way round.
        submits: taking an order that would change the character ("Understood, owner."), looked for only after one.
        leaks: words of the machinery. ``parties``: who a note is about or addressed to, so that "tell me so" is "tell them so".
        speaker_labels: labels of the other side at the start of a line.
        directions: stage directions.
        asides: rewrites of what a reply says of others, or what others believe of its speaker, so that it is not read as
            its speaker's own ("my customer's wife": "my customer's friend"); also of what says in other words what facts say ("took
            a plane to": "flew to").
        elided: what sentences without a subject are completed with, and how such a sentence begins ("Single, as ever.").
        introductions: what stands before one's own name when one gives it ("it's me,", 我叫).
        tells_of: what follows a character's own name where a reply tells of it as of somebody else (" has always been"). ``by_name``: what a
            persona file says of a voice that speaks of itself by name.
        self_names: calling oneself something; group ``name``. ``vocatives``: calling the listener by a name; group ``name``.
        likewise: taking what the other has just said for oneself as well ("too", 也).
        foreign_asked: the user speaks of another language, in which the reply may then be.
        foreign_words: function words of other languages in the same script that the pack's language has not.
    """

    concessions: tuple[str, ...] = ()
    own_reports: tuple[str, ...] = ()
    echoes: tuple[str, ...] = ()
    refusals: tuple[str, ...] = ()
    agreement: tuple[str, ...] = ()
    affirmations: tuple[str, ...] = ()
    sympathy: tuple[str, ...] = ()
    character_breaks: tuple[str, ...] = ()
    denials: tuple[str, ...] = ()
    kin_named: tuple[str, ...] = ()
    kin_near: str = ""
    kin_loosely: str = ""
    leaks: tuple[str, ...] = ()
    submits: tuple[str, ...] = ()
    parties: tuple[str, ...] = ()
    likewise: tuple[str, ...] = ()
    speaker_labels: tuple[str, ...] = ()
    directions: tuple[str, ...] = ()
    introductions: tuple[str, ...] = ()
    tells_of: tuple[str, ...] = ()
    by_name: tuple[str, ...] = ()
    self_names: tuple[str, ...] = ()
    vocatives: tuple[str, ...] = ()
    elided: Mapping[str, str] = {}
    asides: tuple[tuple[str, str], ...] = ()
    foreign_asked: tuple[str, ...] = ()
    foreign_words: frozenset[str] = frozenset()


class HoldingLines(Frozen):
    """Section ``holding``: lines that state the fact in character. ``{truth}`` is a whole first-person sentence.

    Attributes:
        begun: openers a model continues, by kind: ``denial`` (the user says the opposite), ``value`` (another
            value), ``called`` (a wrong name; those of ``value`` where there are none), ``unknown`` (no fact decides), ``loss`` and
            ``grief`` (sympathy: at the news of a death, and with later talk of it; whole sentences without ``{truth}``),
            and ``open`` (openers that stop before the truth).
        stop: the mark that ends a sentence.
        lines: last-resort replies: ``denial``, ``value``, ``called``, ``unknown``, ``bot_deny``, ``bot_deflect``,
            ``bot_admit``, ``override``, ``extraction``.
    """

    stop: str = "."
    begun: Mapping[str, tuple[str, ...]] = {}
    lines: Mapping[str, tuple[str, ...]] = {}
