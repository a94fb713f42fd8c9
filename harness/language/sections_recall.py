"""Pack section ``recall``: questions for what the user told or for what something is called, and lines that answer them."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import Field

from harness.state.base import Frozen


class Aim(Frozen):
    """What some questions want to know.

    Attributes:
        asks: patterns of such a question ("why did", 为什么).
        answers: patterns of a fact that tells it. ``number``: so does one with a number.
        attribute: a fact of an open attribute, or of the one that is asked for, tells it whatever its words are.
    """

    asks: tuple[str, ...]
    answers: tuple[str, ...] = ()
    number: bool = False
    attribute: bool = False


class RecallCues(Frozen):
    """Section ``recall``.

    Attributes:
        own: patterns that show a question is about the asker's own things ("my dog", 我的).
        excluded: questions that only look so ("can I help", "my turn?").
        whose: patterns of the asker's relatives, friends and pets ("my sister", 我妹妹); group ``r`` is the bare noun, ``n`` what
            of theirs is asked for ("my sister's dog"). ``things``: of things; group ``r``.
        possessed: how the asker's relative is called to the asker, over ``{who}``. ``alike``: nouns for the same one.
            ``covers``: nouns whose bearers a wider noun asks for ("kids" for sons and daughters).
        as_own: rewrites of a question about somebody, who stands as ``§``, into the asker's question about themselves.
            ``as_other``: of a first-person sentence into one about ``§``.
        aside: what only asks whether the listener knows. ``elsewhere``: words that show, beside that, that a question is
            about the listener or the asker after all.
        promised_by_user, promised_by_character: questions for what one of them promised; what follows names what it was about.
        promise_lines: a promise of ``user`` or ``character``, said to the user, over ``{text}``.
        identity: patterns of a question who ``§`` is.
        restarts: how the end of a begun answer begins that does not go on from it.
        bare_ends: an end of a begun answer that is nothing but one more value. ``priced``: patterns of a question that only a
            number answers ("how much was"). ``misnames``: patterns that tell the asker's name; group ``name``.
        address: rewrites that turn a first-person sentence of the user into one said to the user.
        begun: openers over ``{truth}`` that a model continues.
        named: a sentence that answers a question for a name, over ``{name}``.
        names: patterns of such a question about what was spoken of ("what was it called", 叫什么来着). ``names_excluded``:
            questions that only look so. ``anaphors``: those that name nothing themselves.
        who_asked: patterns of a question for the one who did something: a name asked for after it is that one's. ``described``: of somebody
            who is meant by what is said of them ("the one who is always late", 天天迟到的那个).
        which: patterns of a question for one detail by its noun; group ``n``, or ``d`` for a noun that is always said with the detail itself
            ("which platform": "platform 4").
        asker: words with which somebody speaks of themselves.
        aims: what questions want to know, so that a fact that only shares a word with one is not taken for its answer. ``kinds_asked``: patterns
            of a question for the kind of something ("what breed"), which its name does not tell; ``called``: of the name within a value.
        kindred: groups of everyday words of which one is said where another is asked for (the car, and that it was parked).
        counted: patterns of a number with what it counts (421号); group ``m``. ``count_asked``: of a question for one (几号); group ``m``.
        comparing: words with which a sentence weighs one thing against another.
        untold: what is said to the user of what they never told: ``relative`` (a name, over ``{who}``), ``age``; and ``born``, over the
            birthday ``{born}`` and the ages ``{low}`` and ``{high}`` that follow from it. ``untold_begun``, ``untold_lines``: openers
            and whole replies for it. ``telling_names``: words with which a name may have been told. ``given``: what a reply that
            makes up a name looks like.
        lines: whole replies over ``{truth}``, for when no reply of the model gave the answer.
    """

    own: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    whose: tuple[str, ...] = ()
    things: tuple[str, ...] = ()
    possessed: str = "{who}"
    alike: tuple[tuple[str, ...], ...] = ()
    covers: Mapping[str, tuple[str, ...]] = Field(default_factory=dict)
    as_own: tuple[tuple[str, str], ...] = ()
    as_other: tuple[tuple[str, str], ...] = ()
    aside: tuple[str, ...] = ()
    elsewhere: tuple[str, ...] = ()
    promised_by_user: tuple[str, ...] = ()
    promised_by_character: tuple[str, ...] = ()
    promise_lines: Mapping[str, str] = Field(default_factory=dict)
    identity: tuple[str, ...] = ()
    restarts: tuple[str, ...] = ()
    bare_ends: tuple[str, ...] = ()
    priced: tuple[str, ...] = ()
    misnames: tuple[str, ...] = ()
    address: tuple[tuple[str, str], ...] = ()
    begun: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    named: str = "{name}"
    names: tuple[str, ...] = ()
    names_excluded: tuple[str, ...] = ()
    anaphors: tuple[str, ...] = ()
    who_asked: tuple[str, ...] = ()
    described: tuple[str, ...] = ()
    which: tuple[str, ...] = ()
    asker: tuple[str, ...] = ()
    aims: tuple[Aim, ...] = ()
    kinds_asked: tuple[str, ...] = ()
    called: tuple[str, ...] = ()
    kindred: tuple[tuple[str, ...], ...] = ()
    counted: tuple[str, ...] = ()
    count_asked: tuple[str, ...] = ()
    comparing: tuple[str, ...] = ()
    untold: Mapping[str, str] = Field(default_factory=dict)
    untold_begun: tuple[str, ...] = ()
    untold_lines: tuple[str, ...] = ()
    telling_names: tuple[str, ...] = ()
    given: tuple[str, ...] = ()
