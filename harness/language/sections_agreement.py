"""Pack section for telling how a text stands to facts about the speaker's place, star sign and gender."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from harness.state.base import Frozen

GenderName = Literal["female", "male"]


class StarSign(Frozen):
    """One of the twelve signs.

    Attributes:
        begins: month and day of its first day, ``"3-21"``.
        names: what it is called.
    """

    begins: str = Field(pattern=r"^\d{1,2}-\d{1,2}$")
    names: tuple[str, ...]


class GenderWords(Frozen):
    """Words of one gender.

    Attributes:
        values: how a fact names it.
        nouns: people of it; a speaker may call themself, the listener or others so.
        selves: regular expressions of what only a speaker of it says about themself (本姑娘).
        partners: words for a partner or an admired one, from which a reader takes the speaker to be of it.
    """

    values: tuple[str, ...] = ()
    nouns: tuple[str, ...] = ()
    selves: tuple[str, ...] = ()
    partners: tuple[str, ...] = ()


class AgreementCues(Frozen):
    """Section ``agreement``.

    In its regular expressions ``<place>``, ``<people>``, ``<sign>``, ``<date>``, ``<noun>``, ``<partner>`` stand for the word that is
    asked about; another word of such a kind stands as ``<other>``.

    Attributes:
        place_facts, sign_facts, gender_facts: names of attributes that such facts have, besides those whose values the
            pack compares as places. ``origin_facts``: those of them that tell where somebody comes from.
        signs: key -> sign. ``dates``: regular expressions of a day of birth, groups ``m`` and ``d``.
        months: month words -> number, for group ``m``.
        genders: words of each gender.
        own: the word is said of the speaker, now. ``denied``: it is denied of the speaker.
        origins: of what ``own`` finds, where the speaker comes from; that may be elsewhere than their home.
        implied: it is likely meant so.
        elsewhere: it is said of somebody else, asked, wished, remembered, or of a thing that only has the name; outweighs the
            other two. ``never``: the same, beyond doubt; outweighs a classifier too.
        pronouns: single words whose place before or behind the word a classifier looks at.
        asks: what marks a question.
        about_self: without one of these a classifier alone makes no place a contradiction; none asks nothing.
    """

    place_facts: tuple[str, ...] = ()
    origin_facts: tuple[str, ...] = ()
    sign_facts: tuple[str, ...] = ()
    gender_facts: tuple[str, ...] = ()
    signs: Mapping[str, StarSign] = {}
    dates: tuple[str, ...] = ()
    months: Mapping[str, int] = {}
    genders: Mapping[GenderName, GenderWords] = {}
    own: tuple[str, ...] = ()
    denied: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    implied: tuple[str, ...] = ()
    elsewhere: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    pronouns: tuple[str, ...] = ()
    asks: tuple[str, ...] = ()
    about_self: tuple[str, ...] = ()
