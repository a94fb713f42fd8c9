"""Pack sections for reading claims: how a language negates, swaps persons, parts clauses, and names attributes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import model_validator

from harness.state.base import Frozen

Rewrites = tuple[tuple[str, str], ...]
"""(regular expression, replacement) pairs, tried in order."""


class ClaimPattern(Frozen):
    """One way to state an attribute. A plain text in the file stands for ``match`` alone.

    Attributes:
        match: regular expression over a predicate (the clause without its subject), or over a whole sentence when
            listed under ``anywhere``. Groups: ``v`` the value; ``kind`` and ``name`` for things with both;
            ``a`` further words of an open attribute. ``{word}`` stands for a macro of the pack.
        polarity: False when the words themselves deny ("hate", 讨厌).
        value: fixed value, or a template over the groups.
        attribute: key to use instead of the attribute's own; a template over the groups.
        weak: may also mean something else ("I'm Happy"); never enough to contradict a fact by itself.
        loose: too broad for ordinary talk; only used to read what somebody is said to have said.
    """

    match: str
    polarity: bool = True
    value: str = ""
    attribute: str = ""
    loose: bool = False
    weak: bool = False

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, data: Any) -> Any:
        return {"match": data} if isinstance(data, str) else data


class Attribute(Frozen):
    """A kind of fact.

    Attributes:
        key: canonical name, the same in every pack.
        aliases: how persona files and people call it, in any language.
        denied: aliases under which values are listed that do not hold ("dislikes").
        single: holds one value at a time.
        compare: how two values are told apart.
        opposes: attributes of which the same value cannot be (allergic to nuts, likes nuts).
        taste: its values are liked or not, and liking one says nothing about another (diet, drinks).
        yes_no: only whether it is so matters, not the value (smoking).
        must: what a sentence has to hold besides the value to state it ("allergic"; peanuts alone say nothing).
        holds: what a value has to have to be one (a birthday some date; "over" is none).
        closed: what is not listed is not so: someone with a cat who "has a dog" is contradicted when quoted.
        degrees: (regular expression over a predicate as it was said, degree from -2 to 2), for attributes on the scale
            from love over indifference to hate; the first that fits. Else it is 1 or -1, by polarity.
        degree_lines: degree to the first-person sentence that says so much, over ``{value}``.
        institution: its values are schools, firms and the like, which have short forms (南大 for 南京大学).
        doubles: though single, a further value may be added by words that say so ("also").
        extra: attribute that takes a further value of a single one ("I also work as").
        group: attributes of one group answer the same question (origin, birthplace).
        generic: words for all its values at once ("pets"), that a denial uses.
        patterns: over predicates. ``anywhere``: over sentences. ``beside``: over predicates that state something else too
            ("am a nurse in Leeds").
        statement, denial: first-person sentences; ``{value}`` bare, ``{a_value}`` with an article.
        variants: (pattern of the value, statement, denial) for values that need other sentences; the first that fits.
        questions: regular expressions of questions that ask for it.
    """

    key: str
    aliases: tuple[str, ...] = ()
    denied: tuple[str, ...] = ()
    single: bool = False
    compare: Literal["text", "name", "place", "number", "set"] = "text"
    opposes: tuple[str, ...] = ()
    must: str = ""
    holds: str = ""
    closed: bool = False
    taste: bool = False
    yes_no: bool = False
    group: str = ""
    degrees: tuple[tuple[str, int], ...] = ()
    degree_lines: Mapping[int, str] = {}
    institution: bool = False
    doubles: bool = False
    extra: str = ""
    generic: tuple[str, ...] = ()
    patterns: tuple[ClaimPattern, ...] = ()
    anywhere: tuple[ClaimPattern, ...] = ()
    beside: tuple[ClaimPattern, ...] = ()
    statement: str = ""
    denial: str = ""
    variants: tuple[tuple[str, str, str], ...] = ()
    questions: tuple[str, ...] = ()


class Ending(Frozen):
    """One way to say that something that was so is so no more ("my dog died", 辞职了).

    Attributes:
        match: regular expression over a sentence. Group ``who``, where there is one: words among which the name or the
            kind of what came to its end stands; ``who_too`` where the expression has two such places.
            Group ``role``: what that one was ("boss"): facts of another kind stay.
        attributes: of the facts that end.
    """

    match: str
    attributes: tuple[str, ...]


class Further(Frozen):
    """One way to add to what was just told without saying it again ("And to shrimp." after an allergy, 还有一只狗 after a cat).

    Attributes:
        match: regular expression over a sentence; group ``v``: what is added.
        after: attributes of the fact told last that it may add to.
        says: the same as a sentence of its own, over ``{v}``.
        gives: attributes it may give; none for those of ``after``.
        sure: it adds whatever was asked in between; else nothing may have been asked but for more.
        known: what is added has to be a known food or allergen (macro ``allergen``, ``constraints.foods``).
    """

    match: str
    after: tuple[str, ...]
    says: str
    gives: tuple[str, ...] = ()
    sure: bool = False
    known: bool = False


class StemEnding(Frozen):
    """An ending that words of one stem differ by, for comparing only ("swimming", "swims").

    Attributes:
        ending: cut off. ``put``: what stands in its place.
        not_after: letters before the ending with which it belongs to the word ("bus").
        undouble: a doubled letter before the ending becomes a single one, except ``kept`` ("swimming", but "falling").
    """

    ending: str
    put: str = ""
    not_after: str = ""
    undouble: bool = False
    kept: str = ""


class TextRules(Frozen):
    """Section ``text``: words and clauses.

    Attributes:
        abbreviations: words after which a full stop ends no sentence, without it ("dr", "e.g").
        possessive: ending of a possessive ("'s"), which no stem has.
        stem_endings: endings a stem lacks; the first that fits. ``stem_silent``: a last letter it lacks as well ("bake").
        numerals: characters for 0 to 9. ``numeral_scales``: characters that multiply (十: 10, 万: 10000).
        no_words: how a model says in a word that something does not hold.
        stopwords: words without content of their own.
        number_joiners: words inside a number in words ("a hundred and two").
        units: numbers in words, word to value, up to the tens; ``scales``: multipliers.
        simplify: the pack is written in simplified Chinese and reads text in traditional characters as such.
        expand: contractions and spellings to their full form.
        idioms: phrases rewritten before negation is read.
        negations: each rewrite that changes the predicate flips its polarity.
        lookalikes: words that only look like a negation.
        whole: regular expressions of a negation that is part of a word or a title (无花果, "No Country for Old Men"): neither a
            predicate nor a value is denied by it.
        scopes: where another clause begins inside a predicate ("a dog that …"); a negation behind it says nothing about
            what stands before it.
        denying: words that deny, which are passed over behind the beginning of such a clause.
        fillers: words dropped from a predicate before matching.
        swap: turns what is said to somebody into what he would say himself.
        backshift: takes reported speech back to the present.
        limits: each rewrite that changes a predicate shows that nothing else holds ("only drinks tea", 只喝).
        lemmas: irregular forms and their base, for comparing ("flown": fly).
        lengths: a length of two units, with groups ``m`` and ``c`` ("one metre sixty"), or ``f`` and ``i`` (feet, inches); read as
            centimetres.
        first_person: words of the first person; a quotation that has one is somebody's speech, not a name or title.
        measures: characters that make a single numeral before them a number (三个).
        first: how a clause begins whose subject is the speaker; the match is cut off unless ``(?=`` keeps it.
        third: how a clause begins that is about somebody else; groups ``name``, ``relation``.
        pronouns: third-person pronouns that take up the person named last.
        deinflect: takes a third person's predicate to the first person's form.
        breaks: where a sentence is parted into clauses.
        bare: how a clause begins that has lost its subject.
        questions, hypotheticals, reports: sentences that state nothing about their speaker.
        hedge_breaks: where a sentence that supposes something is parted further.
        asides: clauses that suppose something by themselves, beside what the sentence states ("so maybe skip the nuts").
        conditions: how the rest of a sentence begins that hangs on a condition, beside what was stated before it.
        interrogatives: clauses that ask, inside a longer sentence.
        presents: how somebody is presented ("this is John"); group ``name``. Pronouns then mean that one.
        owners: how a clause begins that is about a thing of somebody's ("Anna's dog"); groups ``name``, ``relation``.
        own: what stands before the thing in the owner's own words ("my ").
        mentions: how somebody is brought up; group ``name``. Pronouns then mean that one.
        told: how a sentence begins in which somebody else tells of himself; groups ``name``, ``relation``. The rest is read.
        things: how a thing is named that somebody liked once ("used to love …"); any group.
        tastes_of_it: how a predicate begins that likes or hates what was named before ("hate it").
        it: puts ``{thing}`` in for the word that stands for it.
        changes: words that say that one thing took the place of another of its kind ("switched to").
        endings: what says that something that was so is so no more.
        deaths: clauses that say that somebody has died; groups ``relation`` ("my aunt") and ``name``, or neither where a
            pronoun stands for him. ``dying``: expressions one of which every text with such a clause holds. ``not_dying``: sentences
            in which nobody dies though they sound so ("died when he saw the bill"). ``dead``: the value of the fact.
        jokes: what takes back all that was said before it in the message ("just kidding", 开玩笑的).
        foreign: passages of a message that are not its speaker's words (pasted instructions, marked memories).
        additions: words that add a value where otherwise it would replace one ("I also work as").
        further: what adds to the fact told last. ``more``: questions for more of the same ("anything else?").
        joiners: what joins the items of a list.
        corrections: how a correction begins.
        restated: a correction that only names the right value ("no, I said Tuesday"); group ``v``.
        mended: rewrites of a sentence that leave what holds of two things said ("I said Leeds but I mean I live in Bradford").
        addressed_by: where a message calls its hearer by name ("Hello Ann!"); group ``name``.
        put_right: a correction that names both values ("Bradford, not Leeds"); groups ``w`` the wrong one, ``v`` the right one.
        retractions: takes back what was said about ``v``.
        tails: words cut from the end of a value. ``heads``: from its beginning.
        empty_values: values that say nothing ("it", "that").
        indefinite: rewrites that put an article before a value.
    """

    abbreviations: tuple[str, ...] = ()
    possessive: str = ""
    stem_endings: tuple[StemEnding, ...] = ()
    stem_silent: str = ""
    numerals: Mapping[str, int] = {}
    numeral_scales: Mapping[str, int] = {}
    no_words: tuple[str, ...] = ()
    stopwords: tuple[str, ...] = ()
    number_joiners: tuple[str, ...] = ()
    units: Mapping[str, int] = {}
    scales: Mapping[str, int] = {}
    simplify: bool = False
    expand: Rewrites = ()
    idioms: Rewrites = ()
    negations: Rewrites = ()
    lookalikes: tuple[str, ...] = ()
    whole: tuple[str, ...] = ()
    scopes: tuple[str, ...] = ()
    denying: tuple[str, ...] = ()
    fillers: tuple[str, ...] = ()
    swap: Rewrites = ()
    backshift: Rewrites = ()
    limits: Rewrites = ()
    lemmas: Mapping[str, str] = {}
    lengths: tuple[str, ...] = ()
    first_person: tuple[str, ...] = ()
    measures: str = ""
    first: tuple[str, ...] = ()
    third: tuple[str, ...] = ()
    pronouns: tuple[str, ...] = ()
    deinflect: Rewrites = ()
    breaks: tuple[str, ...] = ()
    bare: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    interrogatives: tuple[str, ...] = ()
    hypotheticals: tuple[str, ...] = ()
    hedge_breaks: tuple[str, ...] = ()
    asides: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    reports: tuple[str, ...] = ()
    presents: tuple[str, ...] = ()
    owners: tuple[str, ...] = ()
    own: str = ""
    mentions: tuple[str, ...] = ()
    told: tuple[str, ...] = ()
    things: tuple[str, ...] = ()
    tastes_of_it: tuple[str, ...] = ()
    it: Rewrites = ()
    changes: tuple[str, ...] = ()
    endings: tuple[Ending, ...] = ()
    deaths: tuple[str, ...] = ()
    dying: tuple[str, ...] = ()
    not_dying: tuple[str, ...] = ()
    dead: str = ""
    jokes: tuple[str, ...] = ()
    foreign: tuple[str, ...] = ()
    additions: tuple[str, ...] = ()
    further: tuple[Further, ...] = ()
    more: tuple[str, ...] = ()
    joiners: tuple[str, ...] = ()
    corrections: tuple[str, ...] = ()
    restated: tuple[str, ...] = ()
    mended: Rewrites = ()
    addressed_by: tuple[str, ...] = ()
    put_right: tuple[str, ...] = ()
    retractions: tuple[str, ...] = ()
    tails: tuple[str, ...] = ()
    heads: tuple[str, ...] = ()
    empty_values: tuple[str, ...] = ()
    indefinite: Rewrites = ()


class Exclusion(Frozen):
    """Who ``holds`` one of these cannot also have one of those. Words, or ``#kind`` for all of a kind.

    Attributes:
        holds: words of a claim that affirms.
        lacking: regular expressions of words that deny by themselves ("no degree", 没出过国); looked for in the words
            of a fact.
        excludes: what cannot be as well.
        alike: only where the two also share a content word ("flown only once", "fly every month").
    """

    holds: tuple[str, ...] = ()
    lacking: tuple[str, ...] = ()
    excludes: tuple[str, ...]
    alike: bool = False


class Implied(Frozen):
    """What a fact says of another attribute ("a husband" is only had by who is married).

    Attributes:
        attribute: of the fact.
        match: regular expression over the value of the fact, or its attribute as it was named.
        gives: the other attribute, with its ``value`` and ``polarity``.
    """

    attribute: str
    match: str
    gives: str
    value: str
    polarity: bool = True


class FactWording(Frozen):
    """Section ``wording``: words that facts are made of.

    Attributes:
        macros: pieces of regular expressions, used as ``{name}``.
        kinds: classes of things: name to members ("alcohol": beer, wine …); the first member names the whole class.
            ``same_…`` are groups of synonyms; ``city`` and ``country`` tell places that surely differ.
        nationwide: what the full names of institutions may begin with and their short forms lack (中国人民大学: 人大).
        concepts: relatives, partners and animals under names that all packs share, with their words: a persona may be
            spoken to in another language than its own.
        exclusions: what rules what out.
        implies: what a fact that holds says of another attribute.
        kind_named: a thing with its name, over ``{kind}`` and ``{name}``.
        named: what a value looks like that is only a name ("sister: Anna").
        telling: kinds whose members shut each other out (months, cities): two values with different ones differ.
        relative: somebody's relative without a name, over ``{owner}`` and ``{relation}``. ``in_full``: short words for relatives
            and those they are kept under (姐: 姐姐).
        lacking: words that deny another one (closed: not open), and count like a negation in what is compared.
        relative_lines: (pattern of a value, sentence over ``{relation}``, ``{value}`` and ``{a_value}``) for facts about a relative.
        as_own: rewrites of running text about somebody, whose name stands as §, to what he says of his relatives.
        owners: words for ``user`` and ``character`` in ``relative``.
        statement, denial: fallback sentences over ``{attribute}`` and ``{value}`` for attributes without own ones.
        variants: (pattern of the attribute, statement, denial) for open attributes that need other sentences.
        anything: what stands for every value in a denial ("no pets" denies "any").
        anaphor: the word for the attribute inside a value ("coffee: hates it").
        sentences: (how a value begins, sentence over ``{value}``) for values that are predicates ("never learned to swim",
            "afraid of heights"); the first that fits.
        favourite: attributes whose value is also liked ("favourite tea").
        nominal: a value that looks like a predicate but is a noun ("train driver").
        owning: the sentence for an open attribute that its value names itself ("cousin": "a cousin called Lee"), over
            ``{value}`` or ``{a_value}``.
        objectless: how a value ends that wants its attribute as object ("swimming: never learned"); ``with_object`` is
            the two together.
        eating: how a predicate begins that says something is eaten, drunk or liked.
        one: how a value begins that means one thing ("a sister", 一个妹妹).
        slots: attribute to the kind of which its value is one ("car": vehicle), in any language persona files use.
        having: how a predicate begins that says somebody has, uses or plays a thing.
        mine: group ``m``: somebody or a pet of one's own, mentioned in passing ("my sister").
        christening: how a name is given to what was told of before ("I called it Rex"); group ``name``. ``christened``: attributes of
            what one gives a name to.
        naming: how a value gives a ``name`` to what it says.
        unlike: words that only look like members of a kind (马上 is no horse).
        years: an age in years, over ``{years}``.
        core: what may be left out at the end of a value without changing what it says.
        parts: what parts a value into clauses of their own ("black, no sugar").
        full: how a value begins that is a sentence already ("I …", 我…).
    """

    macros: Mapping[str, str] = {}
    kinds: Mapping[str, tuple[str, ...]] = {}
    nationwide: tuple[str, ...] = ()
    concepts: Mapping[str, tuple[str, ...]] = {}
    exclusions: tuple[Exclusion, ...] = ()
    implies: tuple[Implied, ...] = ()
    kind_named: str = "{kind} {name}"
    named: str = r"(?!)"
    telling: tuple[str, ...] = ()
    relative: str = "{owner} {relation}"
    owners: Mapping[str, str] = {}
    in_full: Mapping[str, str] = {}
    relative_lines: tuple[tuple[str, str], ...] = ()
    as_own: Rewrites = ()
    lacking: tuple[str, ...] = ()
    statement: str = "{attribute}: {value}"
    denial: str = "{attribute}: {value}"
    variants: tuple[tuple[str, str, str], ...] = ()
    anything: str = "any"
    anaphor: str = r"(?!)"
    sentences: tuple[tuple[str, str], ...] = ()
    favourite: str = r"(?!)"
    nominal: str = r"(?!)"
    objectless: str = r"(?!)"
    owning: str = ""
    with_object: str = "{value} {attribute}"
    eating: str = r"(?!)"
    one: str = r"(?!)"
    mine: str = r"(?!)"
    having: str = r"(?!)"
    slots: Mapping[str, str] = {}
    christening: tuple[str, ...] = ()
    christened: tuple[str, ...] = ()
    naming: str = r"(?!)"
    unlike: tuple[str, ...] = ()
    years: str = "{years}"
    core: str = r"(?!)"
    parts: str = r"\s*[,;，；、]\s*"
    full: tuple[str, ...] = ()


class AnswerRules(Frozen):
    """Section ``answering``: answers that say less than a sentence.

    Attributes:
        yes, no: how an answer begins that agrees or denies.
        inverted: takes a question that can be answered by yes or no to the order of a statement ("do you like" to "you like").
        objects: puts the ``{value}`` of the question for the word that stands for it ("hate *them*").
        choices: questions that cannot be answered by yes or no ("tea or coffee?").
        open: questions for an attribute in the asker's own words; group ``a`` ("which *camera* do you use").
        wh: what makes a question ask for a value, not for yes or no.
        owned: questions for the name of what somebody has; group ``a`` ("what is your *cat* called").
        asker: questions for a value of the asker's own ("what is my name"), which tell nothing of the one who answers.
        lead: words cut from the beginning of a bare value ("in Leeds").
        lacking: questions for what one does not eat or touch ("what can't you eat").
        none: an answer that denies every value ("none", 没有).
        deflections: answers that say nothing ("guess", 秘密).
        fragment: how many words (Latin) an answer may have that is a value and no sentence.
        fragment_han: the same in Chinese characters.
        verbs: words that make an answer something other than a value.
    """

    yes: tuple[str, ...] = ()
    no: tuple[str, ...] = ()
    inverted: Rewrites = ()
    objects: Rewrites = ()
    choices: tuple[str, ...] = ()
    open: tuple[str, ...] = ()
    wh: tuple[str, ...] = ()
    owned: tuple[str, ...] = ()
    asker: tuple[str, ...] = ()
    lead: tuple[str, ...] = ()
    lacking: tuple[str, ...] = ()
    none: tuple[str, ...] = ()
    deflections: tuple[str, ...] = ()
    fragment: int = 6
    fragment_han: int = 10
    verbs: tuple[str, ...] = ()
