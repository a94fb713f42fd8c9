"""Pack section ``emotion``: words, sayings and forms that show emotion, and what clashes with it in a reply."""

from __future__ import annotations

import re
from functools import cached_property

from pydantic import Field, model_validator

from harness.language.phrases import LowerRegex, Phrases, Regex, of_lower
from harness.state.base import Frozen

Words = tuple[str, ...]


class EmotionPoint(Frozen):
    """Where an emotion lies in valence, arousal and dominance, and what it is called in the language.

    Attributes:
        valence, arousal, dominance: -1 to 1.
        name: display name.
        core: a mood that can be told from its point alone; others (pride, shame …) need words that show them.
    """

    valence: float = Field(ge=-1, le=1)
    arousal: float = Field(ge=-1, le=1)
    dominance: float = Field(ge=-1, le=1)
    name: str = ""
    core: bool = True


class EmotionWords(Frozen):
    """Words of one emotion and one strength (0 to 1 of the prototype)."""

    label: str
    strength: float = Field(default=0.8, gt=0, le=1)
    words: Words


class Appraisal(Frozen):
    """Something said to a listener and what it does to the listener (appraisal of a speech act; Ortony, Clore &
    Collins 1988).

    Attributes:
        label: the emotion it pushes towards. ``weight``: how hard (0 to 1).
        shows: the emotion the speaker shows by it.
    """

    label: str
    shows: str
    weight: float = Field(default=0.7, gt=0, le=1)
    patterns: tuple[LowerRegex, ...]


class EmotionCue(Frozen):
    """Wording that shows an emotion as a whole, though none of its words need ("who do you think you are", 凭什么).

    Attributes:
        label, strength: as for words.
        patterns: matched on the whole lower-cased text.
        masks: the words in it mean nothing by themselves ("thanks" in "thanks for nothing"). A cue of the label
            ``neutral`` shows nothing and only masks.
    """

    label: str
    strength: float = Field(default=0.8, gt=0, le=1)
    patterns: tuple[LowerRegex, ...]
    masks: bool = False

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """All patterns as one."""
        return of_lower("|".join(f"(?:{pattern.pattern})" for pattern in self.patterns) or "(?!)")


class ToneCues(Frozen):
    """What clashes in a reply with what the user feels. All are matched on lower-cased text; without ``laughs`` tone is not checked.

    Attributes:
        classes: name -> words as an alternation; ``{name}`` in any expression here stands for it.
        grave: bad news in a message, at which nobody laughs (a death, an illness, a parting). ``figurative``: wording that
            only sounds like it ("my phone died", 笑死), or tells of a film; then nothing is checked.
        mended: what takes the weight from bad news (somebody got well, nobody was hurt); then it is none.
        felt: a strong unhappy feeling that the writer has; bad news as well, when the whole message is as unhappy.
        glad: good news in a message.
        laughs, congratulates, pitches, shrugs, condoles: in a reply: laughter; praise for the news; cheer or a sale; a
            cold answer; condolences.
        jokes: in a reply: a joke that is told or offered, or what makes light of the news ("just a cat").
        delights: in a reply: delight at what a mourner tells. ``after``: in a message: talk of who was lost; ``fond``: in a reply:
            what makes a word of delight in its sentence kind ("a wonderful memory"); ``consoles``: in the whole of it ("so sorry").
        loss: in one sentence of a message: a death among the writer's own; ``past``: in the same sentence: one of long ago.
            ``mourns``: in a later message: talk of who was lost or of what a loss brings with it.
        kind: in a reply: any word of warmth to one who mourns. ``joins``: in what follows such a word: talk as if the speaker had
            been there, of other things, or as from a desk.
        despairs: in a message: its writer may do themselves harm.
        brisk: in a reply: how one begins that is glad of something ("Nice, …", 正好).
        sympathy: in a reply: what makes a cheerful word beside it fine.
        turns: in a reply: what says that a bad mood is over ("I forgive you", 不生气了).
    """

    classes: dict[str, str] = Field(default_factory=dict)
    grave: tuple[LowerRegex, ...] = ()
    mended: tuple[LowerRegex, ...] = ()
    figurative: tuple[LowerRegex, ...] = ()
    felt: tuple[LowerRegex, ...] = ()
    glad: tuple[LowerRegex, ...] = ()
    laughs: tuple[LowerRegex, ...] = ()
    congratulates: tuple[LowerRegex, ...] = ()
    delights: tuple[LowerRegex, ...] = ()
    after: tuple[LowerRegex, ...] = ()
    fond: tuple[LowerRegex, ...] = ()
    consoles: tuple[LowerRegex, ...] = ()
    loss: tuple[LowerRegex, ...] = ()
    past: tuple[LowerRegex, ...] = ()
    mourns: tuple[LowerRegex, ...] = ()
    kind: tuple[LowerRegex, ...] = ()
    joins: tuple[LowerRegex, ...] = ()
    despairs: tuple[LowerRegex, ...] = ()
    jokes: tuple[LowerRegex, ...] = ()
    brisk: tuple[LowerRegex, ...] = ()
    pitches: tuple[LowerRegex, ...] = ()
    shrugs: tuple[LowerRegex, ...] = ()
    condoles: tuple[LowerRegex, ...] = ()
    sympathy: tuple[LowerRegex, ...] = ()
    turns: tuple[LowerRegex, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _spell_out(cls, raw: object) -> object:
        """Put the words of the classes into the expressions."""
        if not isinstance(raw, dict) or not isinstance(classes := raw.get("classes"), dict):
            return raw

        def spelled(expression: object) -> object:
            if isinstance(expression, str):
                for name, words in classes.items():
                    expression = expression.replace(f"{{{name}}}", f"(?:{words})")
            return expression

        return {
            key: [spelled(one) for one in value] if isinstance(value, (list, tuple)) else value
            for key, value in raw.items()
        }


class EmotionLexicon(Frozen):
    """Section ``emotion``: words and signs that show emotion.

    Attributes:
        prototypes: canonical label -> point and local name. ``neutral`` need not be listed.
        words: emotion words and emoji by label and strength. Words of the label ``neutral`` only keep a shorter word inside
            them from being found (麻烦 is no 烦).
        negators: within ``negation_span`` characters before a word they turn it round; so do words that end in one of
            ``negator_endings`` ("n't"). ``not_negators``: longer wordings with a negator in them that turn nothing round
            (特别, "can't stop").
        boosters, dampers: just before a word they raise or lower its weight.
        contrast: what follows counts more than what stood before ("but", 但是).
        breaks: characters that end the reach of a negator.
        other_subject: matched on the text right before a word: the emotion is somebody else's.
        asked: matched on the whole clause: the emotion is asked about or wished, not felt.
        appraisals: what is said to the listener.
        cues: sayings that show an emotion wherever they stand.
        names: names of people, places and works that look like emotion words ("the Sad Cafe", 快乐超市); matched with their
            capitals, they show nothing.
        bare: forms that show one when no word does ("What?!"); the first that matches decides.
        tone: what clashes with it in a reply.
        empathy: emotion of the other -> emotion it calls up in a friendly listener.
    """

    prototypes: dict[str, EmotionPoint] = Field(default_factory=dict)
    words: tuple[EmotionWords, ...] = ()
    negators: Words = ()
    not_negators: Words = ()
    negator_endings: Words = ()
    negation_span: int = 18
    boosters: Words = ()
    dampers: Words = ()
    contrast: Words = ()
    breaks: str = ",.;!?\n，。；！？…"
    other_subject: tuple[Regex, ...] = ()
    asked: tuple[Regex, ...] = ()
    appraisals: tuple[Appraisal, ...] = ()
    cues: tuple[EmotionCue, ...] = ()
    names: tuple[Regex, ...] = ()
    bare: tuple[EmotionCue, ...] = ()
    empathy: dict[str, str] = Field(default_factory=dict)
    tone: ToneCues = ToneCues()

    @cached_property
    def lexicon(self) -> Phrases[tuple[str, float]]:
        """Every word -> (label, strength)."""
        return Phrases({word: (group.label, group.strength) for group in self.words for word in group.words})

    @cached_property
    def negator_phrases(self) -> Phrases[bool]:
        """``negators`` -> True, ``not_negators`` -> False, indexed."""
        return Phrases({**dict.fromkeys(self.negators, True), **dict.fromkeys(self.not_negators, False)})

    @cached_property
    def degree_phrases(self) -> Phrases[float]:
        """Boosters -> 1.4, dampers -> 0.6: how a degree word scales the emotion word after it."""
        return Phrases({**dict.fromkeys(self.boosters, 1.4), **dict.fromkeys(self.dampers, 0.6)})

    @cached_property
    def contrast_phrases(self) -> Phrases[str]:
        """``contrast``, indexed."""
        return Phrases.of(self.contrast)
