"""What of the history goes into the room that the rest of the prompt leaves."""

from __future__ import annotations

from collections.abc import Callable, Collection

from harness.state import Message

Messages = tuple[Message, ...]


def fit(
    messages: Messages, room: int, *, cost: Callable[[Message], int], keep: Collection[int] = ()
) -> tuple[Messages, Messages]:
    """The messages that fit, and those that do not, both in their order.

    Turns are taken whole, the newest first, until one does not fit; those in ``keep`` (where the task was described) before
    all others, as far as they fit themselves.

    Args:
        messages: oldest first. ``room``: tokens. ``cost``: tokens of a message with its template.
    """
    turns: dict[int, list[int]] = {}
    for index, message in enumerate(messages):
        turns.setdefault(message.turn, []).append(index)
    price = {turn: sum(cost(messages[index]) for index in places) for turn, places in turns.items()}
    chosen: set[int] = set()
    for turn in sorted((turn for turn in keep if turn in price), reverse=True):
        if price[turn] <= room:
            room -= price[turn]
            chosen.add(turn)
    for turn in reversed(turns):
        if turn in chosen:
            continue
        if price[turn] > room:
            break
        room -= price[turn]
        chosen.add(turn)
    kept = tuple(message for message in messages if message.turn in chosen)
    return kept, tuple(message for message in messages if message.turn not in chosen)
