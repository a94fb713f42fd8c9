"""Pairing: the probes that two witnesses were both given, for comparisons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from harness.blindtest.comparing import Compared, Paired, compare_all

if TYPE_CHECKING:
    from harness.blindtest.results import TrialResult

ALL = "all"
"""The kind that stands for all probes together, form left out."""


def comparisons(names: Sequence[str], trials: Sequence[TrialResult]) -> tuple[Compared, ...]:
    """The first witness against each other one, on the probes that both were given; all corrected together. Raises MissingExtra."""
    own = {name: [one for one in trials if one.witness == name] for name in names}
    return _compared([(names[0], other, own[names[0]], own[other]) for other in names[1:]])


def compare_trials(
    first: str, firsts: Sequence[TrialResult], second: str, seconds: Sequence[TrialResult]
) -> tuple[Compared, ...]:
    """Two sets of trials of the same cases against each other, by kind of probe; what is found holds for these scripts. Raises MissingExtra."""
    return _compared([(first, second, firsts, seconds)], of_these_scripts=True)


def _compared(
    asked: Sequence[tuple[str, str, Sequence[TrialResult], Sequence[TrialResult]]], *, of_these_scripts: bool = False
) -> tuple[Compared, ...]:
    paired = [(first, second, *_paired(own, other, by_case=of_these_scripts)) for first, second, own, other in asked]
    unpaired = {(first, second): alone for first, second, _, alone in paired}
    made = compare_all(
        [(first, second, pairs) for first, second, pairs, _ in paired], of_these_scripts=of_these_scripts
    )
    return tuple(one.model_copy(update={"unpaired": unpaired[one.first, one.second][one.kind]}) for one in made)


def _paired(
    firsts: Sequence[TrialResult], seconds: Sequence[TrialResult], *, by_case: bool
) -> tuple[dict[str, Paired], Counter[str]]:
    """The probes that both were given, by kind, and how many were judged of one of them only, in trials that both held to their end.

    ``by_case``: each repeat of a script is a unit of its own.
    """
    others = {one.case: {place: (kind, good) for kind, place, good in one.probes} for one in seconds if one.held}
    paired: dict[str, list[tuple[str, bool, bool]]] = {ALL: []}
    alone: Counter[str] = Counter()
    for one in firsts:
        if not one.held or one.case not in others:
            continue
        probes = others[one.case]
        own = {place: (kind, good) for kind, place, good in one.probes}
        for place in sorted(own.keys() | probes.keys()):
            kind = (own.get(place) or probes[place])[0]
            if place in own and place in probes:
                unit = "/".join(map(str, one.case)) if by_case else one.place
                row = (unit, own[place][1], probes[place][1])
                paired[ALL].append(row)
                paired.setdefault(kind, []).append(row)
            else:
                alone.update((ALL, kind))
    return dict(paired), alone
