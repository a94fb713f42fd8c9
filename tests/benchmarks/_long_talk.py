"""A long conversation: does the prompt stay as small as it was, and does a detail asked for still reach the model?"""

import re
from pathlib import Path

from harness.context.tokens import estimate
from harness.state import TurnRecord
from tests.benchmarks._details import DETAILS
from tests.benchmarks._measuring import goal, table, title
from tests.benchmarks._overhead import quick_harness, replying
from tests.benchmarks._states import SMALL_TALK

POINTS = (20, 100, 200, 500)
WINDOW = 7
"""Turns averaged up to a point: one round of summarizing, which makes single turns go up and down."""
GROWTH = 0.10
PERSONAS = {"en": "mia", "zh": "lin"}


def script(language: str, turns: int, *, every: int) -> list[str]:
    """What the user says. ``every``: turns between two details; 1 tells two details a turn, so that all of them are told
    by turn 20. The last turns ask for each detail once, in another order."""
    details = DETAILS[language]
    talk = SMALL_TALK[language]
    said = [talk[turn % len(talk)] for turn in range(turns)]
    joint = "" if language == "zh" else " "
    for index, (told, _, _) in enumerate(details):
        if every == 1:
            place = index // 2
            said[place] = told if index % 2 == 0 else joint.join((said[place], told))
        else:
            said[min(index * every, turns - len(details) - 1)] = told
    said[turns - len(details) :] = [asked for _, asked, _ in details[1::2] + details[::2]]
    return said


async def long_talk(folder: Path, *, language: str, turns: int, every: int) -> None:
    """Talk, count the prompt's tokens, ask for every detail."""
    when = "all by turn 20" if every == 1 else f"one every {every} turns"
    title(f"Prompt of a conversation of {turns} turns, {language}: 40 details told ({when}), each asked for at the end")
    details = DETAILS[language]
    order = details[1::2] + details[::2]
    tokens: list[int] = []
    lost: list[str] = []
    noticed = 0
    name = f"long-{language}-{every}.db"
    async with quick_harness(folder / name, script=replying(language), max_revisions=0) as harness:
        session = await harness.open(PERSONAS[language], session="long")
        for turn, text in enumerate(script(language, turns, every=every), 1):
            await session.say(text)
            record = await session.report()
            tokens.append(sum(estimate(content) for _, content in record.calls[0].messages))
            if turn > turns - len(order):
                words, _, needed = order[turn - turns + len(order) - 1]
                noticed += any(re.search(needed, notice.truth) for notice in record.notices)
                if not _in_prompt(record, needed):
                    lost.append(words)
        state = await session.state()
    points = [point for point in POINTS if point <= turns]
    means = {point: sum(tokens[max(0, point - WINDOW) : point]) / min(WINDOW, point) for point in points}
    rows = [(f"turn {point}", str(tokens[point - 1]), f"{means[point]:.0f}") for point in points]
    table(("prompt tokens (estimated)", "at the turn", f"mean of {WINDOW} turns"), rows)
    print(f"facts in force {len(state.active_facts())}, largest prompt {max(tokens)} tokens")
    told = len(details) // 2 if every == 1 else every * (len(details) - 1)
    base = next((point for point in points if point >= told), points[-1])
    growth = max(means[point] for point in points if point >= base) / means[base] - 1
    goal(f"growth from turn {base}, when everything is told, to the largest", growth * 100, GROWTH * 100, unit=" %")
    found = len(order) - len(lost)
    goal("details asked for that are in the prompt", found, len(order), at_most=False)
    print(f"       of these {noticed} also as a notice that the reply is checked against")
    for words in lost:
        print(f"       lost: {words}")


def _in_prompt(record: TurnRecord, needed: str) -> bool:
    """Whether what is needed stands anywhere in what the model was sent."""
    return any(re.search(needed, content, re.IGNORECASE) for _, content in record.calls[0].messages)
