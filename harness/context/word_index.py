"""Which earlier messages share a word with the current one: an index that grows with the conversation."""

from __future__ import annotations

import operator
from collections import OrderedDict
from collections.abc import Sequence

from harness.context.asked_for import told_pieces
from harness.language import LanguagePack
from harness.state import USER, Message
from harness.understanding.text import terms

READ = 960
"""Characters of a message that are read."""
KEPT = 16
"""Conversations whose index is kept; another one is made anew when it is needed."""


class WordIndex:
    """For each content word the places of the messages that have it.

    To read all earlier messages anew at every turn would make each turn dearer than the one before.
    """

    def __init__(self, pack: LanguagePack) -> None:
        """An index of no messages, to be read with ``pack``."""
        self.pack = pack
        self.words: list[frozenset[str]] = []
        """What each message is about."""
        self._messages: list[Message] = []
        self._places: dict[str, list[int]] = {}
        self._told: dict[str, list[int]] = {}

    def grown(self, messages: Sequence[Message]) -> bool:
        """Take up the messages that are new; False when those known are not the first of them."""
        known = len(self._messages)
        if known > len(messages) or not all(map(operator.is_, self._messages, messages)):
            return False
        for place, message in enumerate(messages[known:], known):
            found = terms(message.text[:READ], self.pack)
            for word in found:
                self._places.setdefault(word, []).append(place)
            if message.speaker == USER:
                for piece in told_pieces(message.text[:READ], self.pack):
                    self._told.setdefault(piece, []).append(place)
            self.words.append(found)
            self._messages.append(message)
        return True

    def told(self, piece: str) -> Sequence[int]:
        """The messages of the user that have a piece (see :func:`~harness.context.asked_for.told_pieces`), in order."""
        return self._told.get(piece, ())

    def places(self, word: str) -> Sequence[int]:
        """The messages that have a word, in order."""
        return self._places.get(word, ())


_indexes: OrderedDict[tuple[int, int], WordIndex] = OrderedDict()


def index_of(messages: Sequence[Message], pack: LanguagePack) -> WordIndex:
    """The index of the earlier messages of a conversation, oldest first; there must be one.

    It is known by its first message, and made anew when the conversation took another branch.
    """
    key = (id(messages[0]), id(pack))  # both are held by the index, so nothing else has their numbers
    index = _indexes.pop(key, None)
    if index is None or not index.grown(messages):
        index = WordIndex(pack)
        index.grown(messages)
    _indexes[key] = index
    if len(_indexes) > KEPT:
        _indexes.popitem(last=False)
    return index
