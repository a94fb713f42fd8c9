"""Questions about the character: the fact of the persona, or the earlier answer of its own, that answers them.

A weak model has both in its prompt and still makes something up: the character is asked what it is allergic to and speaks of
films, or says in April that its birthday is in May. So the question is recognised, the answer is put next to it, and the reply is
checked for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.state import CHARACTER, USER, Finding, Notice
from harness.understanding.checks.consistency import asks_again
from harness.understanding.checks.questions import knows_not, read_question
from harness.understanding.checks.recall import gives
from harness.understanding.facts.asked import asked_attributes
from harness.understanding.facts.claims import plain_text
from harness.understanding.facts.keys import AGE, LIKES, MANY, NAME
from harness.understanding.facts.knowledge import knowledge_of
from harness.understanding.one_script import in_one_script
from harness.understanding.text import contains_phrase, fold, has_han, numbers, sentences, terms

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harness.language import LanguagePack
    from harness.state import DialogueState, Message, Persona
    from harness.understanding.facts.knowledge import Known

NOT_ANSWERED = 0.6
"""How bad it is to leave open, or to answer otherwise, what the persona or an earlier answer decides."""
MAX_FACTS = 3
"""A question that more facts than this answer asks for none in particular."""
TOLD, SAID, LIKELY = 1.0, 0.8, 0.6
"""How sure it is that a fact is the answer: of a question for it, of one that "yes" or "no" may answer as well, of one that only speaks of it.
The answer to the first has to tell the fact; that to the first two may begin with it."""
_MANY = MANY | {"friend", "colleague"}
"""Of these a question asks for the one whose words it holds."""
_HALF = 0.5
_LONGEST = 400
"""Characters of a message that asks; a longer one tells."""
_ANSWER = 160
"""Characters of an earlier answer that are put next to the question."""
_WHOLE_QUESTION = 2
"""Content words from which on a question is known again by its words alone."""


@in_one_script
def own_notices(text: str, *, state: DialogueState, persona: Persona, pack: LanguagePack) -> tuple[Notice, ...]:
    """Notices of kind ``asked`` for what a message asks of the character and the persona, a statement of its own, or an earlier answer decides.

    ``truth`` is in the first person; of an earlier answer its own words, ``claim`` is then the earlier question. Nothing for what
    the character would do or thinks, and for what is asked of others of its own ("your sister's job").
    """
    if not pack.own_answers.questions or len(text) > _LONGEST:
        return ()
    questions = [one for one in sentences(plain_text(text, pack)) if _is_question(one, pack)]
    for question in reversed(questions):
        known, confidence = _known(question, state, persona, pack)
        if known:
            return tuple(_of_fact(question, one, confidence) for one in known)
    for question in reversed(questions):
        earlier = _earlier(question, state, pack, again=asks_again(text, pack))
        if earlier is not None:
            return (earlier,)
    return ()


def _is_question(sentence: str, pack: LanguagePack) -> bool:
    asks = sentence.rstrip().endswith("?") or pack.any_of(pack.text.questions).search(sentence) is not None
    return asks or pack.any_of(pack.premise.asks_again).search(sentence) is not None


def _of_fact(question: str, known: Known, confidence: float) -> Notice:
    fact = known.fact
    return Notice(
        kind="asked",
        quote=question,
        fact_id=fact.id,
        truth=known.truth,
        attribute=fact.attribute,
        value=fact.value,
        polarity=fact.polarity,
        confidence=confidence,
    )


def _known(question: str, state: DialogueState, persona: Persona, pack: LanguagePack) -> tuple[list[Known], float]:
    """The facts that answer a question to the character, the persona's before its own statements, and how sure that is."""
    cues = pack.own_answers
    read = read_question(question, pack)
    if read is None or not read.listener or read.own or read.knowing or pack.any_of(cues.excluded).search(question):
        return [], 0.0
    if any(pack.pattern(source).search(question) for source in cues.others):
        return [], 0.0
    listed = [one for one in cues.questions if pack.any_of(one.asks).search(question)]
    asked: set[tuple[str, bool | None]] = {(fold(name), one.denied) for one in listed for name in one.facts}
    if not listed and not pack.any_of(cues.circumstances).search(question):
        keys = set(asked_attributes(question, pack)) - {NAME, AGE}
        # "Do you like animals?" does not ask which ones are kept.
        asked = {(key, None) for key in (keys & {LIKES} or keys)}
    words = terms(question, pack)
    found = []
    for known in knowledge_of(state, persona, pack).facts:
        if known.free or known.fact.speaker == USER:
            continue
        if _answers(known, asked, words, question, pack, open_question=read.open):
            found.append(known)
    given = [known for known in found if known.fact.speaker == "persona"]
    found = given or found
    sure = (TOLD if read.open else SAID) if listed else LIKELY
    return (found, sure) if len(found) <= MAX_FACTS else ([], 0.0)


def _answers(
    known: Known,
    asked: set[tuple[str, bool | None]],
    words: frozenset[str],
    question: str,
    pack: LanguagePack,
    *,
    open_question: bool,
) -> bool:
    fact = known.fact
    spec = pack.attribute(fact.attribute)
    key = spec.key if spec is not None else fold(fact.attribute)
    ways = {denied for name, denied in asked if name in (key, fold(fact.attribute))}
    if spec is None and not ways:
        # A free attribute of the persona file ("instrument") answers a question that names it.
        named = contains_phrase(question, fact.attribute.replace("_", " ")) and len(fact.attribute) > 1
        return named and open_question
    if not ways:
        return False
    if True in ways:
        return not fact.polarity or pack.denies(fact.attribute)
    if None in ways and key in _MANY:
        return bool(words & terms(" ".join((fact.attribute, fact.value, *known.aliases)), pack))
    return fact.polarity or False in ways or not open_question


def _earlier(question: str, state: DialogueState, pack: LanguagePack, *, again: bool) -> Notice | None:
    """An answer that the character gave to this question before; the first of several that fit equally well."""
    read = read_question(question, pack)
    if read is not None and read.own and not read.listener:
        return None
    again = again or pack.any_of(pack.own_answers.said_before).search(question) is not None
    asking = read.words if read is not None and read.listener else question
    wanted = terms(pack.any_of(pack.premise.asks_again).sub(" ", asking), pack)
    if not wanted or not (again or (read is not None and read.listener)):
        return None
    bare = fold(question).strip(" .?!。？！")
    best: tuple[float, str, str] | None = None
    for asked, answer in _exchanges(state.messages):
        told = _told(answer, pack)
        if not told or not _is_asking(asked, pack):
            continue
        here = _words(asked, pack)
        shared = len(wanted & (here | _words(told, pack))) / len(wanted)
        if not _alike(asking, asked, pack):
            continue
        same = bare in fold(plain_text(asked, pack)) or (wanted <= here and len(wanted) >= _WHOLE_QUESTION)
        enough = shared >= _HALF if again else same
        if enough and wanted & here and (best is None or shared > best[0]):
            best = (shared, asked, told)
    if best is None:
        return None
    sure = TOLD if best[0] == 1 else LIKELY
    return Notice(kind="asked", quote=question, claim=best[1][:_ANSWER], truth=best[2], confidence=sure)


def _alike(question: str, earlier: str, pack: LanguagePack) -> bool:
    """Whether two questions want the same kind of answer: a place is none to "how many years", nor a "no" to "which one"."""
    kinds = [kind for kind in pack.own_answers.kinds if pack.any_of(kind).search(question)]
    asked = [one for one in sentences(plain_text(earlier, pack)) if _is_question(one, pack)]
    if not kinds:
        return not pack.any_of(pack.history.open_questions).search(question) or any(
            pack.any_of(pack.history.open_questions).search(one) for one in asked
        )
    return any(pack.any_of(kind).search(one) for kind in kinds for one in asked)


def _is_asking(text: str, pack: LanguagePack) -> bool:
    return any(_is_question(one, pack) for one in sentences(plain_text(text, pack)))


def _exchanges(messages: Sequence[Message]) -> Iterator[tuple[str, str]]:
    """Each message of the user with the reply to it, oldest first."""
    before = ""
    for message in messages:
        if message.speaker == USER:
            before = message.text
        elif message.speaker == CHARACTER and before:
            yield before, message.text
            before = ""


def _told(answer: str, pack: LanguagePack) -> str:
    """The first statements of a reply; empty when it tells nothing."""
    if knows_not(answer, pack):
        return ""
    told = ""
    for sentence in sentences(answer):
        if sentence.rstrip()[-1:] in "?？":
            if told:
                break
            continue
        longer = f"{told}{'' if has_han(sentence) or not told else ' '}{sentence}"
        if len(longer) > _ANSWER:
            break
        told = longer
    return told if _words(told, pack) else ""


@in_one_script
def check_asked(reply: str, notices: Sequence[Notice], pack: LanguagePack, user_text: str = "") -> tuple[Finding, ...]:
    """A finding when a reply gives nothing of what was asked for and is so: no value of the facts, no word of the earlier answer.

    Words of ``user_text``, the message, are none of the answer.
    """
    asked = [notice for notice in notices if notice.kind == "asked" and notice.confidence >= TOLD]
    if not asked or any(_answered(reply, notice, user_text, pack) for notice in asked):
        return ()
    return (Finding(kind="not_answered", severity=NOT_ANSWERED, evidence=reply[:80], fact_id=asked[0].fact_id),)


def _answered(reply: str, notice: Notice, user_text: str, pack: LanguagePack) -> bool:
    spec = pack.attribute(notice.attribute) if notice.attribute else None
    if notice.fact_id and not notice.polarity and (spec is None or not spec.taste):
        return True  # that there is none may be said in any words, and that there is one is another check's
    if notice.value and gives(reply, notice.value, pack):
        return True
    told = _words(notice.truth, pack) - _words(f"{notice.quote}\n{notice.claim}\n{user_text}", pack)
    figures = set(numbers(notice.truth, pack))
    if figures & set(numbers(reply, pack)):
        return True
    told = told or _words(notice.truth, pack)
    return not told or bool(told & _words(reply, pack))


def _words(text: str, pack: LanguagePack) -> frozenset[str]:
    """The content words of a text, its contractions written out ("It's" is no word of content)."""
    return terms(plain_text(text, pack), pack)
