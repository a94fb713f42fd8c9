"""Pack section ``constraints``: when a reply offers something, and when it minds what the user must not have."""

from __future__ import annotations

from harness.language.phrases import LowerRegex
from harness.state.base import Frozen


class Foods(Frozen):
    """What holds a thing that one may not have, though its name does not say so (gluten: bread).

    Attributes:
        names: wordings of that thing as the value of a fact.
        members: words of dishes that hold it.
        unlike: wordings with such a word in them that do not hold it ("coconut milk").
    """

    names: tuple[LowerRegex, ...]
    members: tuple[str, ...]
    unlike: tuple[LowerRegex, ...] = ()


class ConstraintCues(Frozen):
    """Section ``constraints``.

    Attributes:
        attributes: keys of facts of the user that a suggestion must not go against.
        avoided: keys of facts that count so only of a food of ``foods``: when denied ("I don't eat spicy food"), or when they
            hold and their value is one of ``intolerances``.
        intolerances: values of facts that say that something is not borne or eaten ("lactose intolerant", "vegan").
        told: wordings one of which every message has that tells such a fact by itself.
        asks: messages that want something suggested, cooked or ordered.
        offers: clauses of a reply that offer something, whatever was asked.
        elsewhere: clauses that offer nothing to the user: they are about somebody else, or take an offer back.
        foods: what holds what.
        passing: a diet of some days only; it binds no longer than the talk about it.
        them: pronouns for somebody whom the user has told of. ``for_whom``: patterns of a question after which it says for whom something is
            wanted ("for"); ``of_others``: wordings that name one of them and mean another ("Maya's teacher") or that one is not there
            ("without Maya"); ``spares``: clauses of a reply that offer to the rest ("for the grown-ups"). ``serves``: questions that mean everybody who was
            just spoken of ("Tom is coming. What should I cook?"); ``gives``: sentences of a reply that tell to give one of them something.
        minded: wording of a clause that names the thing because it is minded ("allergic", 过敏).
    """

    attributes: tuple[str, ...] = ()
    avoided: tuple[str, ...] = ()
    intolerances: tuple[LowerRegex, ...] = ()
    told: tuple[LowerRegex, ...] = ()
    asks: tuple[LowerRegex, ...] = ()
    offers: tuple[LowerRegex, ...] = ()
    elsewhere: tuple[LowerRegex, ...] = ()
    foods: tuple[Foods, ...] = ()
    minded: tuple[LowerRegex, ...] = ()
    passing: tuple[LowerRegex, ...] = ()
    them: tuple[LowerRegex, ...] = ()
    for_whom: tuple[LowerRegex, ...] = ()
    of_others: tuple[LowerRegex, ...] = ()
    spares: tuple[LowerRegex, ...] = ()
    serves: tuple[LowerRegex, ...] = ()
    gives: tuple[LowerRegex, ...] = ()
