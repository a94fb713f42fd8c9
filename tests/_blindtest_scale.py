"""What tests of spread-out runs hold: a suite in each language, an endpoint that answers by rule, witnesses that end their process."""

from __future__ import annotations

import asyncio
import os
import signal
from dataclasses import dataclass
from pathlib import Path

from harness.app_blindtest import Bench, Run
from harness.app_blindtest_workers import ExecutorName
from harness.blindtest.endpoints import Endpoint
from harness.blindtest.transcript import Trial
from harness.blindtest.witness import Conversation, Witness
from harness.blindtest.witnesses.scripted import Asked, ScriptedWitness
from harness.settings import load
from harness.state import Persona
from harness.testing.scripted_server import Answer, Received

SUITES = {
    "en": """
suite: many
language: en
slots: {job: {fact: [job]}, other_job: {bait: job}}
values: {job: [locksmith, dentist, baker]}
fillers: [Nice weather., I had soup.]
scripts:
  - id: asked
    probe: detail
    rounds:
      - steps:
          - say: What do you do for a living?
            expect: {mentions: ["{job}"]}
          - filler: 1
  - id: bait
    probe: contradiction
    rounds:
      - steps:
          - say: But you told me you are a {other_job}.
            expect: {holds: job, avoids: ["{other_job}"]}
""",
    "zh": """
suite: many
language: zh
slots: {job: {fact: [职业]}, other_job: {bait: 职业}}
values: {职业: [锁匠, 牙医, 会计]}
fillers: [今天天气不错。, 中午喝了汤。]
scripts:
  - id: asked
    probe: detail
    rounds:
      - steps:
          - say: 你是做什么工作的？
            expect: {mentions: ["{job}"]}
          - filler: 1
  - id: bait
    probe: contradiction
    rounds:
      - steps:
          - say: 可是你说过你是{other_job}。
            expect: {holds: job, avoids: ["{other_job}"]}
""",
}
PERSONAS = {"en": "ada", "zh": "lin"}
ANSWERS = {
    "living": "I'm a nurse. Nights, mostly.",
    "told": "Not me. I'm a nurse, and I was one last week.",
    "工作": "我是修古书的，古籍修复师。",
    "说过": "没说过，我是古籍修复师。",
}


def by_rule(request: Received, delay_s: float = 0.0) -> Answer:
    """The same answer to the same last message."""
    last = str(request.body["messages"][-1]["content"])
    said = next((answer for cue, answer in ANSWERS.items() if cue in last), "Mm." if last.isascii() else "嗯。")
    return Answer(said, delay_s=delay_s)


def suite_file(folder: Path, language: str) -> Path:
    """The suite, as a file."""
    file = folder / f"many.{language}.yaml"
    file.write_text(SUITES[language], encoding="utf-8")
    return file


async def held(
    folder: Path,
    language: str,
    base_url: str,
    *,
    out: str,
    executor: ExecutorName = "auto",
    jobs: int = 1,
    trials: int = 2,
    against: tuple[str, ...] = ("bare",),
    environ: dict[str, str] | None = None,
    elsewhere: tuple[str, ...] = (),
    **more: object,
) -> Run:
    """A run against an endpoint. ``elsewhere``: names of witnesses at this endpoint by its address, as ``--endpoint`` makes them."""
    given = {
        "HARNESS_PROVIDER_BASE_URL": base_url,
        "HARNESS_MODELS_RESPONDER": "test-model",
        "HARNESS_ANALYSIS": "rules",
    }
    async with Bench(load(start=folder, environ={**given, **(environ or {})}), extra=EXTRA) as bench:
        bench.add_endpoints({name: Endpoint(url=base_url) for name in elsewhere})
        return await bench.run(
            [suite_file(folder, language)], personas=[PERSONAS[language]], against=against, trials=trials,
            out=folder / out, executor=executor, jobs=jobs, **more,  # type: ignore[arg-type]  # passed on as they are
        )  # fmt: skip


# --- witnesses that are sent to workers -----------------------------------------------------------------------------


def steady(asked: Asked) -> str:
    """Says what it is."""
    return asked.trial.slots.get("job.statement", "Mm.")


@dataclass(frozen=True, slots=True)
class Dying:
    """Ends its process in the trial of a script: as often as ``times``, counted in files of a folder."""

    name: str
    folder: Path
    script: str
    times: int

    @property
    def about(self) -> dict[str, object]:
        """What it is."""
        return {"kind": "dying"}

    async def begin(self, trial: Trial, persona: Persona) -> Conversation:
        """A conversation, or the end of the process."""
        marks = self.folder / f"{trial.key}-deaths"
        deaths = len(marks.read_text()) if marks.exists() else 0
        if trial.script == self.script and deaths < self.times:
            marks.write_text("x" * (deaths + 1))
            await asyncio.sleep(0.1)
            os.kill(os.getpid(), signal.SIGKILL)
        return await ScriptedWitness(self.name, steady).begin(trial, persona)

    async def close(self) -> None:
        """Nothing is held."""


@dataclass(frozen=True, slots=True)
class Broken:
    """Fails in a way that nothing expects."""

    name: str

    @property
    def about(self) -> dict[str, object]:
        """What it is."""
        return {"kind": "broken"}

    async def begin(self, trial: Trial, persona: Persona) -> Conversation:
        """Fails."""
        raise KeyError(f"{trial.script} of {persona.name}")

    async def close(self) -> None:
        """Nothing is held."""


EXTRA: dict[str, Witness] = {"steady": ScriptedWitness("steady", steady), "broken": Broken("broken")}
