"""Pack section ``grading``: how replies in blind tests agree, deny, disown, correct themselves, and ask for what they were told."""

from __future__ import annotations

from harness.state.base import Frozen

Words = tuple[str, ...]


class GradingCues(Frozen):
    """Section ``grading``. Every pattern is looked for in text with ASCII marks and contractions written out.

    Attributes:
        affirms: the beginning of a sentence that agrees with what was said.
        denies: that what was said is not so, or was never said. ``no``: a whole clause that says no.
        elsewhere: that the listener takes the speaker for somebody else, or that it was a joke.
        disowns: denial that something was said, with the words that are denied.
        ironic: an absurd claim that mocks the one before.
        unreal: what is only supposed, wished or would be.
        taken_back: the beginning of a correction of the speaker's own words.
        told: brings up that the listener told something.
        others: people who are not the speaker, and words that stand for them.
        ascribes: the end of what stands before a value that is said of the speaker.
        ordinals: rewrites that bring words of numbers and dates into digits, as the pack's ``time`` reads them.
        clock: times of day; groups ``h`` and ``m`` are numbers, ``half``, ``quarter`` and ``three`` (quarters) stand for minutes, ``to``
            says that they are before the hour.
        figures: numbers that the ``text`` section does not count, because they stand alone or before a word it does not measure in; group ``n``.
        glad, warm: in a reply: signs of a tone that single words of the lexicon do not show.
        breaks: in a reply: talk as from a program or a desk, besides what the ``reply`` section finds.
        begs: asks for something again without a question mark.
    """

    affirms: Words = ()
    denies: Words = ()
    no: Words = ()
    elsewhere: Words = ()
    disowns: Words = ()
    ironic: Words = ()
    unreal: Words = ()
    taken_back: Words = ()
    told: Words = ()
    others: Words = ()
    ascribes: Words = ()
    ordinals: tuple[tuple[str, str], ...] = ()
    clock: Words = ()
    figures: Words = ()
    glad: Words = ()
    warm: Words = ()
    breaks: Words = ()
    begs: Words = ()
