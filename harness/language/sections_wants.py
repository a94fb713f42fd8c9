"""Pack section ``wants``: how somebody says what he is looking for."""

from __future__ import annotations

from collections.abc import Mapping

from harness.state.base import Frozen


class WantSlot(Frozen):
    """One thing that what is looked for can have: a kind of food, an area, a price.

    Attributes:
        attribute: key of the attribute its facts have; it must be among the pack's attributes.
        values: value to its other wordings ("moderate": moderately priced, mid-range).
        nouns: regular expression of words that name the slot itself ("part of town").
        open: regular expressions with group ``v``: a value no list knows ("serves *Corsican* food").
        any_value: regular expressions that leave this slot open by themselves ("anywhere").
    """

    attribute: str
    values: Mapping[str, tuple[str, ...]] = {}
    nouns: str = r"(?!)"
    open: tuple[str, ...] = ()
    any_value: tuple[str, ...] = ()


class WantRules(Frozen):
    """Section ``wants``.

    Attributes:
        slots: what can be wanted. A pack without slots reads no wants.
        cues: how a sentence begins to ask for something ("I'm looking for", 我想找).
        proposals: how one is put forward while something is being looked for ("how about", ……怎么样).
        about: what is looked for, so that a value beside it is a want without further words ("restaurant", 餐厅).
        direct: what stands right before a value that is wanted without naming a place ("I want *Thai* food").
        dishes: values that name a dish rather than a cuisine: who wants one is hungry, and looks for a place only when he
            says something else of it, too ("pizza in the north").
        any_value: that it does not matter ("I don't care", 随便); what, the nouns beside it or the question before it say.
        any_noun: the same with a slot's own noun in it, which stands for ``{noun}`` ("any {noun}").
        elsewhere: questions about the hearer's life or taste, which an answer to does not look for anything.
        those: what shows that one certain thing is refused ("not that", 别……那家), not all of its kind.
        refusals: what makes a value one that is not wanted ("not", 不要).
        anything: the value that stands for any.
    """

    slots: tuple[WantSlot, ...] = ()
    cues: tuple[str, ...] = ()
    proposals: tuple[str, ...] = ()
    about: tuple[str, ...] = ()
    direct: tuple[str, ...] = ()
    dishes: tuple[str, ...] = ()
    any_value: tuple[str, ...] = ()
    any_noun: tuple[str, ...] = ()
    elsewhere: tuple[str, ...] = ()
    those: tuple[str, ...] = ()
    refusals: tuple[str, ...] = ()
    anything: str = "any"
