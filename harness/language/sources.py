"""Every pattern of a language pack with the field it stands in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.language.pack import LanguagePack
    from harness.state.base import Frozen

_TEXT_LISTS = (
    "fillers", "first_person", "first", "third", "pronouns", "breaks", "bare", "questions", "interrogatives",
    "hypotheticals", "hedge_breaks", "asides", "conditions", "reports", "additions", "joiners", "corrections", "restated", "retractions", "tails", "heads", "lengths",
    "presents", "jokes", "foreign",
)  # fmt: skip
_TEXT_PAIRS = ("expand", "idioms", "negations", "swap", "backshift", "deinflect", "limits", "indefinite")
_ANSWERING = (
    "yes",
    "no",
    "choices",
    "open",
    "owned",
    "asker",
    "lead",
    "lacking",
    "wh",
    "none",
    "deflections",
    "verbs",
)
_WANTS = ("cues", "proposals", "any_value", "about", "direct", "refusals", "those", "elsewhere")
_HISTORY_PARTS = (
    "asks",
    "opposites",
    "states",
    "leanings",
    "prospects",
    "groups",
    "slots",
    "length_units",
    "some",
    "decades",
    "owned_kinds",
)

Source = tuple[str, str]
"""(field, pattern)."""


def _fields(section: Frozen) -> Iterator[tuple[str, Any]]:
    """The fields of a section, without what was worked out of them."""
    return ((name, getattr(section, name)) for name in type(section).model_fields)


def pattern_sources(pack: LanguagePack) -> Iterator[Source]:
    """(field, pattern) of every pattern that is compiled by :meth:`LanguagePack.pattern`."""
    yield from _text(pack)
    yield from _attributes(pack)
    yield from ((f"answering.{name}", source) for name in _ANSWERING for source in getattr(pack.answering, name))
    yield from _wants(pack)
    yield from (("places.unlike", source) for source in pack.places.unlike)
    yield from (("agreement.genders", source) for words in pack.agreement.genders.values() for source in words.selves)
    for name in ("premise", "reply", "agreement", "grading"):
        for field, value in _fields(getattr(pack, name)):
            if isinstance(value, tuple):
                # of a rewrite, what it looks for
                yield from ((f"{name}.{field}", one if isinstance(one, str) else one[0]) for one in value)
    for field, value in pack.called.__dict__.items():
        if field not in ("terms", "term_set"):
            yield from ((f"called.{field}", source) for source in value)
    yield from _history(pack)
    for name in ("redaction", "keeping"):
        for field, value in _fields(getattr(pack, name)):
            if isinstance(value, tuple) and field not in ("time_only", "unrelated"):
                yield from ((f"{name}.{field}", source) for source in value)
    yield from pack.relations.sources()


def _text(pack: LanguagePack) -> Iterator[Source]:
    for name in _TEXT_PAIRS:
        yield from ((f"text.{name}", source) for source, _ in getattr(pack.text, name))
    for name in _TEXT_LISTS:
        yield from ((f"text.{name}", source) for source in getattr(pack.text, name))


def _attributes(pack: LanguagePack) -> Iterator[Source]:
    for attribute in pack.attributes:
        where = f"attributes.{attribute.key}"
        yield from ((where, pattern.match) for pattern in (*attribute.patterns, *attribute.anywhere))
        yield from ((where, source) for source in attribute.questions)
        yield from ((where, source) for source, _, _ in attribute.variants)
        yield from ((where, source) for source, _ in attribute.degrees)


def _wants(pack: LanguagePack) -> Iterator[Source]:
    wants = pack.wants
    yield from ((f"wants.{name}", source) for name in _WANTS for source in getattr(wants, name))
    for slot in wants.slots:
        yield from (("wants.slots", source) for source in (slot.nouns, *slot.open, *slot.any_value))
        yield from (("wants.any_noun", source.replace("{noun}", slot.nouns)) for source in wants.any_noun)


def _history(pack: LanguagePack) -> Iterator[Source]:
    cues = pack.history
    yield from (("history.asks", source) for source, _ in cues.asks)
    yield from (("history.opposites", source) for pair in cues.opposites for source in pair)
    for name, states in (("states", cues.states), ("leanings", cues.leanings), ("prospects", cues.prospects)):
        yield from ((f"history.{name}", source) for exclusive in states.values() for source in exclusive)
    yield from (("history.groups", source) for group in cues.groups for source in (group.head, group.members))
    yield from (("history.slots", source) for slot in cues.slots for source in (*slot.ask, *slot.values))
    for name, value in _fields(cues):
        if name not in _HISTORY_PARTS:
            yield from ((f"history.{name}", source) for source in value)
