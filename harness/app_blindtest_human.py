"""Human tests put together: a witness of a bench at one channel, a person or a recording at the other, a judge at this terminal."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.blindtest.folder import RunFolder
from harness.blindtest.human.channels import Channel, RecordedChannel, WitnessChannel, recorded_pairs
from harness.blindtest.human.joining import JOIN, PersonChannel
from harness.blindtest.human.judging import JudgeDesk, Typing, line
from harness.blindtest.human.room import Room
from harness.blindtest.human.saved import Judgement, SessionFolder, SessionInfo
from harness.blindtest.human.schedule import Schedule
from harness.blindtest.human.sealing import LETTERS, PERSON, Key, Letter, Seat
from harness.blindtest.pacing import Pacing
from harness.blindtest.transcript import Trial
from harness.errors import RunError

if TYPE_CHECKING:
    from harness.app_blindtest import Bench

SUITE = "human"


@dataclass(frozen=True, slots=True)
class HumanTest:
    """What a session is held with.

    Attributes:
        persona: the character of the witness. ``witness``: as for :meth:`harness.app_blindtest.Bench.witness`.
        recorded: folder of a run or of human tests, whose replies sit at the other channel; None waits for a person.
        recorded_witness: of the run.
        brief: what the person is told; the usual one when empty.
        minutes: from the first message. ``wait_s``: for the person to join.
        pacing: of people, by which replies are released. ``median_s``: seconds to a reply, instead of the pacing's.
    """

    persona: str
    witness: str = "harness"
    recorded: Path | None = None
    recorded_witness: str = ""
    brief: str = ""
    minutes: float = 5.0
    wait_s: float = 600.0
    pacing: Pacing = field(default_factory=Pacing)
    median_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Held:
    """A session that is over. ``key``: None when it ended without a verdict."""

    folder: SessionFolder
    judgement: Judgement | None
    key: Key | None


async def hold_human(
    bench: Bench,
    test: HumanTest,
    *,
    out: str | Path,
    typing: Typing,
    show: Callable[[str], None],
) -> Held:
    """Hold a session with the judge who types.

    Whatever ends it (an interrupt, the end of the input) before the verdict leaves a session that is marked as abandoned, without its key.

    Raises:
        RunError: nobody joined, nothing was recorded, the folder cannot be written, or a number is out of its range.
        PersonaError: there is no such character. ModelError, LocalModelError: no model.
    """
    if not 0 < test.minutes <= 240 or not 0 <= test.median_s <= 600:
        raise RunError(
            f"Expected up to 240 minutes and up to 600 seconds to a reply, got {test.minutes} and {test.median_s}.",
            remedy="Correct --minutes or --seconds.",
        )
    persona = next(iter(bench.personas([test.persona], ()).values()))
    language, base = persona.language, Path(out)
    seed = secrets.randbelow(2**31)
    witness = bench.witness(test.witness)
    trial = Trial(suite=f"{SUITE}.{language}", script="talk", persona=persona.id, witness=test.witness, seed=seed)
    opened: list[Channel] = []
    try:
        # Libraries and models that are loaded for the first reply would hold the terminal up, and so tell who is at work: a conversation
        # that nobody sees comes before. What is wrong with the witness is told here, while there is nothing to hide yet.
        before = await witness.begin(trial, persona)
        try:
            await before.say(line("warm", language))
        finally:
            await before.close()
        other, seat = await _other(bench, test, base, language, show, opened)
        talk = await witness.begin(trial, persona)
        first = WitnessChannel(talk)
        opened.append(first)
        key = Key.drawn(
            Seat(kind="witness", name=test.witness, about=dict(witness.about)), seat, persona=persona.id or persona.name
        )
        info = SessionInfo(
            id=secrets.token_hex(6),
            commitment=key.commitment(),
            language=language,
            minutes=test.minutes,
            seed=secrets.randbelow(2**31),  # of the schedule; not that of the witness, which stays sealed
            started_at=datetime.now(UTC).isoformat(timespec="seconds"),
        )
        folder = SessionFolder(base / info.id)
        folder.begin(info)
        channels: dict[Letter, Channel] = {
            letter: first if key.seats[letter].kind == "witness" else other for letter in LETTERS
        }
        return await _judged(test, folder, info, key, channels, typing, show)
    finally:
        for channel in opened:
            await channel.close()
        await witness.close()


async def _judged(
    test: HumanTest,
    folder: SessionFolder,
    info: SessionInfo,
    key: Key,
    channels: dict[Letter, Channel],
    typing: Typing,
    show: Callable[[str], None],
) -> Held:
    language = info.language
    room = Room(
        channels,
        key,
        Schedule(test.pacing, info.seed, test.median_s),
        folder,
        lambda letter, text: show(f"{letter}: {text or line('silence', language)}"),
        seconds=test.minutes * 60,
    )
    show(line("begin", language, minutes=f"{test.minutes:g}"))
    judgement: Judgement | None = None
    try:
        judgement = await JudgeDesk(room, typing, show, language).sit()
        if judgement is not None:
            opened = await room.judge(judgement)
            return Held(folder, judgement, opened)
    finally:
        if judgement is None:
            await room.abandon()
    return Held(folder, None, None)


async def _other(
    bench: Bench, test: HumanTest, base: Path, language: str, show: Callable[[str], None], opened: list[Channel]
) -> tuple[Channel, Seat]:
    """The other channel: a recording, or a person who joins."""
    if test.recorded is not None:
        name, pairs = recorded_pairs(test.recorded, test.recorded_witness)
        whose = "witness" if RunFolder(test.recorded).exists else PERSON
        recorded = RecordedChannel(pairs, bench.base.languages.get(language))
        opened.append(recorded)
        return recorded, Seat(kind="recorded", name=name, about={"replies": len(pairs), "of": whose})
    person = PersonChannel(test.brief or line("brief", language), language)
    opened.append(person)
    try:
        await person.listen(base / JOIN)
    except OSError as failure:
        raise RunError(
            f"{base} cannot be written: {failure.strerror or failure}.", remedy="Choose another folder."
        ) from failure
    show(line("waiting", language, command=f"harness blindtest human join --out {base}"))
    await person.joined(test.wait_s)
    return person, Seat(kind="person", name=PERSON)


def told(held: Held, language: str) -> str:
    """What the judge is told at the end."""
    if held.key is None or held.judgement is None:
        return line("abandoned", language)
    names: dict[str, Any] = {letter: held.key.seats[letter].name for letter in LETTERS}
    other = held.key.letter_of_other()
    verdict = "right" if held.judgement.human == other else "wrong"
    if not held.key.seats[other].human:
        verdict = "machines"
    return line("truth", language, a=names["A"], b=names["B"], verdict=line(verdict, language))
