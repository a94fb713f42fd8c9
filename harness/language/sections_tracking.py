"""Pack sections for topics, emotion, entities, commitments, summaries and time words.

Word lists are matched without regard to case, whole words only where the script parts words by blanks.
Fields of type ``Regex`` are regular expressions that ignore case; named groups are part of the contract.
"""

from __future__ import annotations

from functools import cached_property

from pydantic import Field

from harness.language.phrases import Phrases, Regex
from harness.language.sections_commitments import CommitmentCues
from harness.language.sections_emotion import Appraisal, EmotionLexicon, EmotionPoint, EmotionWords
from harness.language.sections_entities import EntityCues, NamePattern
from harness.language.sections_time import DayWord, TimePattern, TimeWords, Unit
from harness.state.base import Frozen

__all__ = [
    "Appraisal",
    "CommitmentCues",
    "DayWord",
    "EmotionLexicon",
    "EmotionPoint",
    "EmotionWords",
    "EntityCues",
    "NamePattern",
    "SummaryLines",
    "TimePattern",
    "TimeWords",
    "TopicCues",
    "Unit",
]

Words = tuple[str, ...]


class TopicCues(Frozen):
    """Section ``topics``: wording that moves the talk, and wording that never does.

    Attributes:
        open: a new topic is announced; group ``label`` holds what it is about ("let's talk about X", 聊聊X).
        change: the topic is changed, what to is not said (change of subject, 换个话题).
        maybe: a turn that often, not always, leaves the topic ("by the way", 对了); counts only with little overlap.
        back: return to something earlier; group ``label`` names it ("back to X", 说回X).
        resume: return to the topic before the current one, unnamed ("as I was saying", 接着刚才的).
        close: the current topic is finished ("enough about that", 不说这个了).
        backchannel: whole messages that carry no topic ("ok", 嗯嗯). A message made of several of them is one too.
        leaning: words that lean on what was just said ("it", 那个). ``leaning_start``: the same at the beginning of a
            sentence only ("and", "why", 那).
        addressed: words for the listener ("you", 你): a question to the listener may open a topic with a single word.
        own_start: how a sentence begins in which the speaker tells of themselves ("I", "my", 我).
        label_trim: what to cut off both ends of a label taken from the words (articles, particles).
        stop_words: words without content of their own; added to those of the language pack.
        label_stop: content words that make no label (verbs, moods, relatives), unless there is nothing else.
        no_topic_label: label of a conversation that began without any content.
        max_label: longest label, in characters.
        fields: fields of life and the words that belong to them ("food": dinner, cook …), by which two messages without
            a word in common are seen to be about one thing. A word may stand in several. Latin words in their base form.
        requests: how a sentence begins that asks for something not spoken of before ("I'm looking for a", 帮我找).
        offers: how somebody who deals with a request asks back ("would you like", "how many people", 您需要).
        closings: what is said when a matter is settled ("anything else?", "you're welcome", 还有别的吗).
        determiners: words a noun follows ("the", "my"). ``no_noun``: the shape of a word that is no noun ("-ly", "-ed").
        introductions: clauses by which somebody says who they are ("my name is Tom", 我叫阿诚); cut out, and what is left is
            looked at. ``introduction_label``: label of a conversation that began so, until there is something to talk about.
    """

    open: tuple[Regex, ...] = ()
    change: tuple[Regex, ...] = ()
    maybe: tuple[Regex, ...] = ()
    back: tuple[Regex, ...] = ()
    resume: tuple[Regex, ...] = ()
    close: tuple[Regex, ...] = ()
    backchannel: Words = ()
    leaning: Words = ()
    leaning_start: Words = ()
    addressed: Words = ()
    own_start: Words = ()
    label_trim: Words = ()
    stop_words: Words = ()
    label_stop: Words = ()
    no_topic_label: str = "small talk"
    max_label: int = 40
    fields: dict[str, Words] = Field(default_factory=dict)
    requests: tuple[Regex, ...] = ()
    offers: tuple[Regex, ...] = ()
    closings: tuple[Regex, ...] = ()
    determiners: Words = ()
    no_noun: Regex | None = None
    introductions: tuple[Regex, ...] = ()
    introduction_label: str = "introductions"

    @cached_property
    def fields_of_word(self) -> dict[str, frozenset[str]]:
        """Every word of ``fields``, lower-cased -> the fields it belongs to."""
        found: dict[str, set[str]] = {}
        for name, words in self.fields.items():
            for word in words:
                found.setdefault(word.lower(), set()).add(name)
        return {word: frozenset(names) for word, names in found.items()}

    @cached_property
    def field_phrases(self) -> Phrases[frozenset[str]]:
        """``fields_of_word``, indexed."""
        return Phrases(self.fields_of_word)

    @cached_property
    def backchannel_phrases(self) -> Phrases[str]:
        """``backchannel``, indexed."""
        return Phrases.of(self.backchannel)

    @cached_property
    def leaning_phrases(self) -> Phrases[str]:
        """``leaning``, indexed."""
        return Phrases.of(self.leaning)

    @cached_property
    def leaning_start_phrases(self) -> Phrases[str]:
        """``leaning_start``, indexed."""
        return Phrases.of(self.leaning_start)

    @cached_property
    def addressed_phrases(self) -> Phrases[str]:
        """``addressed``, indexed."""
        return Phrases.of(self.addressed)

    @cached_property
    def own_start_phrases(self) -> Phrases[str]:
        """``own_start``, indexed."""
        return Phrases.of(self.own_start)


class SummaryLines(Frozen):
    """Section ``summary``: how an extractive summary is written and what ranks high in it.

    Attributes:
        line: one utterance: ``{turn}``, ``{speaker}``, ``{text}``.
        default_user: how a user without a name is called.
        ellipsis: what stands where text was cut.
        facts: wording that states something lasting ("my … is", 我叫).
        promises: wording of a promise or a deadline.
        preferences: wording of likes, dislikes, plans, changes and corrections.
        small_talk: phrases that say nothing; a sentence made of them alone is dropped first.
    """

    line: str = "[{turn}] {speaker}: {text}"
    default_user: str = "User"
    ellipsis: str = "…"
    facts: tuple[Regex, ...] = ()
    promises: tuple[Regex, ...] = ()
    preferences: tuple[Regex, ...] = ()
    small_talk: Words = ()

    @cached_property
    def small_talk_phrases(self) -> Phrases[str]:
        """``small_talk``, indexed."""
        return Phrases.of(self.small_talk)
