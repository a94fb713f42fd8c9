"""Pack section ``history``: what it takes to compare a reply with what its speaker said before.

All fields but ``slots`` hold regular expressions that ignore case; they see text in the form of ``text.expand``.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from harness.state.base import Frozen

Words = tuple[str, ...]


class Slot(Frozen):
    """Something a person has one of at a time, asked for with a question of its own.

    Attributes:
        key: its name (``age``).
        ask: how it is asked for.
        values: how it is given in a statement; group ``v`` is the value. Without any, a statement gives it only in answer
            to the question.
        answers: how it is given by less than a statement, in answer to the question only.
        named: only values that are known places are compared.
        number: the value is a number; values are compared as numbers.
        apart: how far two numbers may be apart and still be the same (a rounded age).
    """

    key: str
    ask: Words = ()
    values: Words = ()
    answers: Words = ()
    named: bool = False
    number: bool = False
    apart: float = 0


class Group(Frozen):
    """Things of one kind and the words that name the whole of it ("sports"): who denies the whole denies each of them.

    Attributes:
        head: alternation of the words for the whole.
        members: alternation of what belongs to it.
    """

    head: str
    members: str


class HistoryCues(Frozen):
    """Section ``history``.

    Attributes:
        yes, no, unknown: how an answer begins that affirms, denies, or does not know.
        answer_words: a yes or no before what is said besides ("No, I …").
        asks: rewrites from a question to the listener to the statement its "yes" would make, still said to the listener ("do
            you have a cat" to "you have a cat"); all are tried in order, each once.
        open_questions: questions that ask for more than yes or no.
        own_questions: questions about the asker's own self ("how old am I").
        knowing: "do you know …", before an indirect question.
        listener: words for the listener, in a clause.
        first: words for oneself.
        dropped: how a sentence begins that leaves out its "I"; matches up to where that belongs ("Just got home").
        oneself: the word to put there.
        others: how a clause begins that is about neither (he, that, the weather).
        negators: words that turn a clause round. ``stop``: words without content. ``light``: words with
            little of it, which count only when there is nothing else. ``stop_tails``: particles at the end.
        have: the verb of having that a negation may carry with it (没有).
        days: words for a day or a time of day; what is so on one need not be so on another.
        limiting: words in a question that a "no" may be about ("always", "only").
        having: statements that one has something; what follows their "yes" without a subject is about the thing.
        transitive: verbs of more than one character, or with synonyms, that say little without an object (害怕).
        opposites: pairs of alternations; the second says the opposite of the first ("love", "hate").
        synonyms: alternations of words that mean the same.
        wishes: marks of what is wished, planned, supposed or past and gone, and so contradicts nothing.
        past: marks of what is over ("used to"): contradicts nothing but "never".
        hindered: no time or means for something, which says nothing against liking it.
        lapsed: not any more or not for long, and so once ("have not played in years").
        anaphors: words that stand for what was named just before.
        pairs: so many of a kind; groups ``n`` and ``v`` ("two dogs"); without ``v``, what was named last is counted, and with
            an empty group ``asked`` only in a question just before ("Do you have kids? I have two").
        wanting: wishing for group ``v`` says that one has none ("I'd love to have a dog one day").
        longings: wishing for what one has not, is not, or has not seen; group ``v``.
        parent: what the group ``parent`` of ``possessions`` has ("I'm a mother" of children).
        me_too: taking what the other has just said for oneself ("me neither").
        rhetorical: negations in a question that expect a yes (你不是…吗).
        sometimes: marks of what holds now and then.
        telling: asking the other to tell what he has told already.
        experience: marks of "ever, at any time" (have been, 过): its denial denies every single time.
        possessions: "my X"; group ``v``. ``lacking``: "I have no X"; group ``v``.
        also: marks of an addition to what was said ("I also", 还有): contradicts nothing.
        too: "me too" about what the other is taken to have said (也).
        only: "only", after a denial of all: "I never heard their songs, only one of them".
        said_before: the user holds against the character what it said ("I thought you …"); group ``v`` is the claim.
        admits: answers that grant what was held against one. ``changed``: marks of what is so no more, or since lately.
        promised: the character denies having promised; group ``what`` where it says what. ``promised_asking``: denials in the
            form of a question ("when did I promise that?").
        statements: clauses that only look like questions (还没呢).
        fields: words of one line of work: a nurse may well work at a hospital.
        slots: what a person has one of at a time.
        anywhere: trades that are plied in every line of work (an accountant). ``workplace``: a clause that says where one
            works; ``any_place``: places that say nothing of the line of work (an office).
        compounds: words whose head is another thing than a word in them (a hot dog, 火车 for who has no 车).
        favourites: groups ``of`` and ``v`` ("my favourite colour is blue"). ``favourite_asked``: the question for it, with
            ``of``; ``mine``: its short answer, with ``v`` ("mine is blue").
        theirs: what somebody of whom one has one does; groups ``of`` and ``v`` ("my husband is a baker").
        prefers: groups ``a``, liked better, and ``b``.
        states: alternations that exclude each other, by what they are about.
        leanings: like ``states``, but what they say can change or be meant otherwise: they conflict doubtfully.
        starting: marks of what has only begun ("just started"): a length of some weeks at most.
        prospects: like ``states``, read also in what is wished, planned or past ("when I grow up").
        owned_kinds: kinds of ``wording.kinds`` whose members one has as such ("my poodle" is a dog of one's own).
            ``counted``: alternations of words that count the same things ("kids", "children"). ``countable``: things that "two of them" can stand for.
        decades: parts of a value that stand for ten years ("thirties") with the first of them.
        lately: marks of what goes on these days.
        wholes: marks of a whole kind that is affirmed ("all kinds of").
        groups: kinds of things that a denial may name as a whole ("I don't play any sports").
        listing: how the last item of an enumeration begins ("and tennis").
        joints: before what begins a clause of its own though no mark stands there ("but I", "so I").
        lengths: how long something has lasted; groups ``n`` (may be missing) and ``u``, or ``all`` for as long as one
            lives. ``length_units``: days that a unit ``u`` has; ``some``: words for ``n`` with the numbers they may stand
            for. ``lasting``: marks of a clause in which a length says for how long up to now ("have lived").
        greets: the other is called by a name; group ``v``. ``goes_by``: one's own name; group ``v``.
        ever_asked: questions that ask for any time at all ("have you ever been to").
        concedes: how a clause begins that takes something from the one before ("but").
        whether: questions whether there is something at all ("do you have any …").
        more: marks of a question that asks for more than was told, or whether it was heard right.
    """

    yes: Words = ()
    no: Words = ()
    unknown: Words = ()
    answer_words: Words = ()
    asks: tuple[tuple[str, str], ...] = ()
    open_questions: Words = ()
    own_questions: Words = ()
    knowing: Words = ()
    listener: Words = ()
    first: Words = ()
    dropped: Words = ()
    oneself: str = "I"
    others: Words = ()
    negators: Words = ()
    stop: Words = ()
    light: Words = ()
    stop_tails: Words = ()
    have: str = ""
    transitive: Words = ()
    days: Words = ()
    limiting: Words = ()
    having: Words = ()
    opposites: tuple[tuple[str, str], ...] = ()
    synonyms: Words = ()
    wishes: Words = ()
    past: Words = ()
    experience: Words = ()
    hindered: Words = ()
    lapsed: Words = ()
    anaphors: Words = ()
    pairs: Words = ()
    wanting: Words = ()
    longings: Words = ()
    parent: Words = ()
    me_too: Words = ()
    rhetorical: Words = ()
    sometimes: Words = ()
    telling: Words = ()
    possessions: Words = ()
    lacking: Words = ()
    also: Words = ()
    too: Words = ()
    only: Words = ()
    said_before: Words = ()
    admits: Words = ()
    changed: Words = ()
    promised: Words = ()
    promised_asking: Words = ()
    statements: Words = ()
    fields: Words = ()
    slots: tuple[Slot, ...] = ()
    anywhere: Words = ()
    workplace: Words = ()
    any_place: Words = ()
    compounds: Words = ()
    favourites: Words = ()
    favourite_asked: Words = ()
    mine: Words = ()
    theirs: Words = ()
    prefers: Words = ()
    states: Mapping[str, tuple[str, ...]] = {}
    leanings: Mapping[str, tuple[str, ...]] = {}
    starting: Words = ()
    prospects: Mapping[str, tuple[str, ...]] = {}
    owned_kinds: Words = ()
    counted: Words = ()
    countable: Words = ()
    decades: Mapping[str, float] = {}
    lately: Words = ()
    wholes: Words = ()
    groups: tuple[Group, ...] = ()
    listing: Words = ()
    joints: Words = ()
    lengths: Words = ()
    length_units: Mapping[str, float] = {}
    some: Mapping[str, tuple[float, float]] = {}
    lasting: Words = ()
    greets: Words = ()
    goes_by: Words = ()
    ever_asked: Words = ()
    concedes: Words = ()
    whether: Words = ()
    more: Words = ()

    @cached_property
    def unsure(self) -> Words:
        """What is wished or past: it says nothing of what is."""
        return (*self.wishes, *self.past)

    @cached_property
    def not_always(self) -> Words:
        """``limiting`` and ``past``."""
        return (*self.limiting, *self.past)

    @cached_property
    def owning(self) -> Words:
        """``admits`` and ``changed``: owning up to a slip or a change."""
        return (*self.admits, *self.changed)

    @cached_property
    def empty(self) -> Words:
        """``negators``, ``light`` and ``stop``: what names nothing."""
        return (*self.negators, *self.light, *self.stop)

    @cached_property
    def besides(self) -> Words:
        """``also`` and ``sometimes``: what leaves room for something else."""
        return (*self.also, *self.sometimes)
