"""Lists in running text ("the Grand, the Plaza and the Ritz", 甲、乙和丙) and numbered lines."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from harness.language.phrases import alternatives, is_han, lower
from harness.language.sought import likely
from harness.understanding.references.naming import name_kind
from harness.understanding.words import LONGEST_SENTENCE

if TYPE_CHECKING:
    from harness.language.sections_tracking import EntityCues

LONGEST_ITEM = 4
"""Words of one item in a script that parts words by blanks."""
MOST_ITEMS = 16
"""Pieces of one sentence; what has more is no list for picking."""
LONGEST_HAN_ITEM = 10
"""Characters of one item in Han script."""
_NUMBERED = re.compile(r"^[ \t]*(\d{1,2})[.)、．）:：]\s*(.{1,80})$", re.MULTILINE)
_AFTER_NAME = re.compile(r"\s*(?:[:：;；,，—–(（]|\s-\s|\s--\s|[.。!！](?:\s|$)).*$")
_COLONS = ":："
_STOPS = re.compile(r"([.!?。！？;；\n])")
_SENTENCES = re.compile(r"([.!?。！？\n])")
_CAPITALS = re.compile(r"[A-Z][\w'&-]*(?: (?:(?:of|de|la|van|von) )?[A-Z][\w'&-]*)*")
_WORD = re.compile(r" ([a-z][a-z'-]*)")
_HEAD = r"(?:[^,:;]*?(?<!\w))?(?P<count>(?i:{count}))(?: [a-z][a-z'-]*){{1,3}}[,:] "
_HAN_HEAD = r"[^,，:：、]*?(?P<count>{count})[^\W\d_a-z]{{1,6}}[,，:：]\s*"
_HAN_NAME = 3
"""Characters of a name that ends an announced list; it may hold one that ends others (东来顺). Four may be a clause (补鞋都累)."""
_COMMAS = ",，"
_CLOSING = " \t.!。！~"
_MARKS = re.compile(r"[*_`\"“”]")


@dataclass(frozen=True, slots=True)
class Item:
    """One item of a list: its name without article, where it stands, and whether it had an article."""

    name: str
    start: int
    article: bool = False


def find_lists(text: str, cues: EntityCues) -> list[list[Item]]:
    """Every list of two or more items, numbered lines first."""
    lists: list[list[Item]] = []
    numbered = [(int(m[1]), Item(name, m.start(2))) for m in _NUMBERED.finditer(text) if (name := _line_name(m[2]))]
    if len(numbered) > 1 and [number for number, _ in numbered] == list(range(1, len(numbered) + 1)):
        lists.append([item for _, item in numbered])
    offset = 0
    for sentence in _STOPS.split(text):
        short = len(sentence) <= LONGEST_SENTENCE
        if short and any(char in sentence for char in (*cues.list_separators, *cues.list_joiners)):
            items = _items(sentence, cues)
            if items:
                lists.append([Item(item.name, item.start + offset, item.article) for item in items])
        offset += len(sentence)
    return lists


def find_told_apart(text: str, cues: EntityCues) -> list[list[Item]]:
    """Pairs with words about each item ("one is the Grand, the other is the Plaza", 一家是…另一家是…)."""
    pairs: list[list[Item]] = []
    offset = 0
    for sentence in _SENTENCES.split(text):
        items = _told_apart(sentence, cues) if len(sentence) <= LONGEST_SENTENCE else []
        if items:
            pairs.append([Item(item.name, item.start + offset, item.article) for item in items])
        offset += len(sentence)
    return pairs


def _told_apart(sentence: str, cues: EntityCues) -> list[Item]:
    """The pair in one sentence, or nothing."""
    for expression in likely(cues.told_apart_expressions, sentence):
        match = expression.search(sentence)
        if match is None:
            continue
        groups = [group for group in ("a", "b", "third") if match.groupdict().get(group)]
        items = [_named(match.start(group), match[group], cues) for group in groups]
        found = [item for item in items if item is not None]
        people = [item for item in found if name_kind(item.name, cues) == "person"]
        if None not in items[:2] and not people and len({lower(item.name) for item in found}) == len(found):
            return found
    return []


def _line_name(line: str) -> str:
    name = _AFTER_NAME.sub("", _MARKS.sub("", line)).strip()
    return name if 0 < len(name.split()) <= LONGEST_ITEM + 1 and len(name) <= 40 else ""  # a name


@lru_cache(maxsize=16)
def _joiner_of(joiners: tuple[str, ...]) -> re.Pattern[str]:
    latin = alternatives(word for word in joiners if not is_han(word[0]))
    han = alternatives(word for word in joiners if is_han(word[0]))
    return re.compile(rf"(?:(?<=\W)(?:{latin})(?=\s))|(?:{han})", re.IGNORECASE)


def _joiner(cues: EntityCues) -> re.Pattern[str]:
    return _joiner_of(cues.list_joiners)


def _items(sentence: str, cues: EntityCues) -> list[Item]:
    """The items of the list in one sentence, or nothing."""
    head = _counted(tuple(cues.list_counts)).match(sentence)
    if head is not None:
        rest = sentence[head.end() :]
        items = _run(_pieces(rest, cues, announced=True), rest, cues, announced=True)
        end = items[-1].start + len(items[-1].name) if items else 0
        more = any(lower(item.name).startswith(tuple(cues.list_counts)) for item in items)  # two apples, three pears
        tail = rest[end:].strip(_CLOSING)
        if len(items) == cues.list_counts[lower(head["count"])] and not more and (not tail or tail[0] in _COMMAS):
            return [Item(item.name, item.start + head.end(), item.article) for item in items]
    pieces = _pieces(sentence, cues)
    return _run(pieces, sentence, cues) if pieces else []


@lru_cache(maxsize=16)
def _counted(counts: tuple[str, ...]) -> re.Pattern[str]:
    """What says how many items come ("there are two hotels, ", 有两家酒店，): the head is none of them."""
    head = _HAN_HEAD if counts and is_han(counts[0]) else _HEAD
    return re.compile(head.format(count=alternatives(counts)) if counts else r"(?!)")


def _pieces(sentence: str, cues: EntityCues, *, announced: bool = False) -> list[tuple[int, str]]:
    """A sentence between its separators and joiners, each piece with its place; nothing when there are too few or many."""
    separators = re.escape(cues.list_separators)
    pieces: list[tuple[int, str]] = []
    joined = False
    start = 0
    whole = _whole_words(sentence, cues)
    for match in re.finditer(
        rf"[{separators}]\s*(?:{_joiner(cues).pattern})?|{_joiner(cues).pattern}", sentence, re.IGNORECASE
    ):
        if pieces and not sentence[start : match.start()].strip():
            # The joiner begins an item: 和平宾馆 after 和.
            continue
        if _inside(match.end() - 1, whole) and match[0][-1] not in cues.list_separators:
            if match[0][0] not in cues.list_separators:
                continue
            pieces.append((start, sentence[start : match.start()]))  # only the mark before it parts the two
            start = match.start() + 1
            continue
        pieces.append((start, sentence[start : match.start()]))
        start = match.end()
        joined = joined or bool(match[0].strip(cues.list_separators + " "))
    pieces.append((start, sentence[start:]))
    if not 2 <= len(pieces) <= MOST_ITEMS or not (joined or announced or len(pieces) > 2):  # a list has two items
        return []
    return pieces


def _run(pieces: list[tuple[int, str]], sentence: str, cues: EntityCues, *, announced: bool = False) -> list[Item]:
    """The longest run of pieces that are items: the first is cut on its left, the last on its right.

    A pair that was announced by its number needs no other sign of being a list.
    """
    best: list[Item] = []
    choice = bool(_latin(cues.list_choices) & set(lower(sentence).split()))
    for begin in range(len(pieces) - 1):
        if _asks(pieces[begin][1], cues):  # "Which café, the Blue Door or …": the question's noun is no item
            continue
        first = _first(*pieces[begin], cues, choice=choice)
        if first is None or _unsaid(first, sentence, cues):
            continue
        run = [first]
        for index in range(begin + 1, len(pieces)):
            whole = _middle(*pieces[index], cues)
            if whole is not None and index < len(pieces) - 1:
                run.append(whole)
                continue
            last = _whole(*pieces[index], cues) if announced else None
            last = last or _last(*pieces[index], cues)
            if last is not None:
                run.append(last)
            break
        if len(run) > len(best):
            best = run
    distinct = {lower(item.name) for item in best}
    if len(distinct) < len(best) or len(best) < 2:  # a list has two items
        return []
    return best if announced or len(best) > 2 or _is_pair(best, sentence, cues) else []  # pairs need more


def _asks(piece: str, cues: EntityCues) -> bool:
    lowered = lower(piece).strip()
    return any(lowered.startswith(word) for word in cues.list_heads)


def _unsaid(item: Item, sentence: str, cues: EntityCues) -> bool:
    """Whether the first item is one of any kind ("any cakes or pies?", 什么经历或感受): then nothing is on offer."""
    before = lower(sentence[: item.start])
    return _asks(item.name, cues) or before.endswith(tuple(cues.list_heads))


def _is_pair(items: list[Item], sentence: str, cues: EntityCues) -> bool:
    """Two items are a list when both are named or introduced alike ("the Grand or the Plaza", 全聚德还是东来顺)."""
    first, second = items
    if is_han(first.name[0]):
        between = sentence[first.start + len(first.name) : second.start]
        return len(first.name) > 1 and len(second.name) > 1 and between in cues.list_choices
    if first.name[0].isupper() and second.name[0].isupper():
        return True
    return first.article and second.article


@lru_cache(maxsize=16)
def _articles_of(articles: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{alternatives(articles)})\s+", re.IGNORECASE)


def _articles(cues: EntityCues) -> re.Pattern[str]:
    return _articles_of(cues.articles)


def _strip(start: int, text: str) -> tuple[int, str]:
    left = len(text) - len(text.lstrip(" \t\"'“”‘’:：*《"))
    return start + left, text[left:].rstrip(" \t\"'“”‘’*》,，、;；")


def _named(start: int, text: str, cues: EntityCues, *, article: bool = False) -> Item | None:
    """An item without its article."""
    start, text = _strip(start, text)
    match = _articles(cues).match(text)
    if match is not None:
        start, text, article = start + match.end(), text[match.end() :], True
    if not any(char.isalpha() for char in text) or _is_clause(text, cues):
        return None
    first = cues.people.phrases.at(lower(text), 0)
    if first is not None and first.value not in ("dear", "group"):
        return None  # "it was late": a clause, not an item
    if is_han(text[0]):
        return Item(text, start, article) if len(text) <= LONGEST_HAN_ITEM else None
    return Item(text, start, article) if len(text.split()) <= LONGEST_ITEM else None


def _is_clause(text: str, cues: EntityCues) -> bool:
    """Whether a piece begins with what begins a clause ("a warm and inviting place, while the barn …")."""
    lowered = lower(text)
    if is_han(lowered[0]):
        return any(lowered.startswith(word) for word in cues.list_clauses)
    return lowered.split()[0].strip(",") in _latin(cues.list_clauses)


def _middle(start: int, text: str, cues: EntityCues) -> Item | None:
    item = None if any(mark in text.strip(_COMMAS + " ") for mark in _COMMAS) else _named(start, text, cues)
    if item is None:
        return None
    words = set(lower(item.name).split())
    return None if words & _latin(cues.list_tails) else item


def _whole(start: int, text: str, cues: EntityCues) -> Item | None:
    """The last item of an announced list when it is as short as a name in Han script and ends its sentence."""
    start, text = _strip(start, text)
    text = text.rstrip(_CLOSING)
    short = 1 < len(text) <= _HAN_NAME and all(map(is_han, text)) and text[-1] not in cues.list_tails
    return _named(start, text, cues) if short else None


def _last(start: int, text: str, cues: EntityCues) -> Item | None:
    """The last item, cut at the first word that cannot belong to it."""
    start, text = _strip(start, text)
    cut = len(text)
    if text and is_han(text[0]):
        for index in range(1, len(text)):
            if any(text.startswith(tail, index) for tail in cues.list_tails):
                cut = index
                break
        cut = min(cut, *(i for i, char in enumerate(text) if char in ",，、 "), len(text))
    else:
        tails = _latin(cues.list_tails)
        for match in re.finditer(r"\S+", text):
            if lower(match[0]).strip(",") in tails and match.start():
                cut = match.start()
                break
            if match[0].endswith(","):
                cut = match.end() - 1
                break
    capitals = _CAPITALS.match(text)
    if capitals is not None and capitals.end() < cut:
        following = _WORD.match(text, capitals.end())
        if following is not None and following[1] not in cues.kind_of_noun:
            cut = capitals.end()  # "Rosa opened a bakery"
    return _named(start, text[:cut], cues)


def _first(start: int, text: str, cues: EntityCues, *, choice: bool) -> Item | None:
    """The first item: what stands after the last article, lead word or beginning of a name."""
    start, text = _strip(start, text)
    if not text:
        return None
    if any(map(is_han, text)):
        colon = max(text.rfind(mark) for mark in _COLONS) + 1
        starts = () if colon else cues.list_leads  # after a colon the item begins, whatever it holds
        whole = _whole_words(text, cues)
        cuts = (i + len(lead) for lead in starts for i in _places(text, lead) if not _inside(i, whole))
        cut = max((place for place in cuts if place < len(text)), default=0)
        cut = max(cut, colon if colon < len(text) else 0)
        return _named(start + cut, text[cut:], cues)
    article = max(_articles(cues).finditer(text), key=lambda match: match.start(), default=None)
    capitals = re.search(r"(?<![\w'])[A-Z][\w'&-]*(?: [A-Z][\w'&-]*)*$", text)
    if article is not None:
        rest = text[article.end() :]
        if _latin(cues.list_tails) & set(lower(rest).split()[1:]):
            return None  # "the first is dear and the third is cold": clauses, not items
        return _named(start + article.end(), rest, cues, article=True)
    if capitals is not None and capitals.start():
        return _named(start + capitals.start(), capitals[0], cues)
    leads = _latin(cues.list_leads)
    cut = 0
    for match in re.finditer(r"\S+", text):
        if lower(match[0]).strip(":,") in leads and match.end() < len(text):
            cut = match.end()
        if match[0].endswith((":", "：")) and match.end() < len(text):
            cut = match.end()
    if cut == 0 and capitals is not None:
        return _named(start, capitals[0], cues)
    if len(text[cut:].split()) <= (LONGEST_ITEM - 1 if cut else 1):
        return _named(start + cut, text[cut:], cues)
    # "paint it green, blue or yellow": in a choice the last word is the item.
    last = text.split()[-1]
    return _named(start + len(text) - len(last), last, cues) if choice else None


@lru_cache(maxsize=16)
def _whole_of(words: tuple[str, ...]) -> re.Pattern[str] | None:
    return re.compile(alternatives(words)) if words else None


def _whole_words(text: str, cues: EntityCues) -> tuple[tuple[int, int], ...]:
    """Where the words stand that are not cut, though they hold a joiner or a lead."""
    expression = _whole_of(cues.list_whole)
    spans = (match.span() for match in expression.finditer(text)) if expression is not None else ()
    return tuple(span for span in spans if _begins(text[: span[0]], cues))


def _begins(before: str, cues: EntityCues) -> bool:
    """Whether an item can begin here: at a mark, a joiner or a lead. In the middle of one (大同和平遥) the word is none."""
    return not before or not is_han(before[-1]) or before.endswith((*cues.list_leads, *cues.list_joiners))


def _inside(place: int, spans: tuple[tuple[int, int], ...]) -> bool:
    return any(start <= place < end for start, end in spans)


def _places(text: str, lead: str) -> list[int]:
    found, place = [], text.find(lead)
    while place >= 0:
        found.append(place)
        place = text.find(lead, place + max(len(lead), 1))
    return found


@lru_cache(maxsize=32)
def _latin(words: tuple[str, ...]) -> frozenset[str]:
    return frozenset(lower(word) for word in words)
