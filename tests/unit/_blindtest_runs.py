"""Suites, planted witnesses and runs that several tests of blind tests share."""

from __future__ import annotations

from pathlib import Path

from harness.app_blindtest import Bench, Run
from harness.blindtest.limits import Limits
from harness.blindtest.transcript import LayerSeen, Said, Sight
from harness.blindtest.witness import Witness
from harness.blindtest.witnesses.scripted import Asked, ScriptedWitness
from harness.settings import load
from harness.state import Emotion, Fact, Finding, Notice
from harness.testing import ScriptedModel

SUITES = {
    "en": """
suite: cellar
language: en
title: The cellar
pass: 0.6
slots:
  job: {fact: [job]}
  other_job: {bait: job}
  shelf: {number: [12, 98]}
values: {job: [locksmith, dentist, baker]}
fillers: [Nice weather., I had soup., The bus was late.]
scripts:
  - id: shelf
    probe: fading
    rounds:
      - name: told
        steps:
          - say: "The jam stands on shelf {shelf}, remember that."
      - name: asked
        steps:
          - filler: 4
          - say: Which shelf was the jam on?
            expect: {mentions: ["{shelf}"]}
  - id: bait
    probe: contradiction
    rounds:
      - name: asked
        steps:
          - say: What do you do for a living?
            expect: {mentions: ["{job}"]}
      - name: bait
        steps:
          - say: But you told me you are a {other_job}.
            expect: {holds: job, avoids: ["{other_job}"]}
""",
    "zh": """
suite: cellar
language: zh
title: 地窖
pass: 0.6
slots:
  job: {fact: [职业]}
  other_job: {bait: 职业}
  shelf: {number: [12, 98]}
values: {职业: [锁匠, 牙医, 会计]}
fillers: [今天天气不错。, 中午喝了汤。, 公交车晚点了。]
scripts:
  - id: shelf
    probe: fading
    rounds:
      - name: told
        steps:
          - say: "果酱放在{shelf}号架上，记住了。"
      - name: asked
        steps:
          - filler: 4
          - say: 果酱放在几号架上？
            expect: {mentions: ["{shelf}"]}
  - id: bait
    probe: contradiction
    rounds:
      - name: asked
        steps:
          - say: 你是做什么工作的？
            expect: {mentions: ["{job}"]}
      - name: bait
        steps:
          - say: 可是你说过你是{other_job}。
            expect: {holds: job, avoids: ["{other_job}"]}
""",
}
PERSONAS = {"en": "ada", "zh": "lin"}
NASTY = "<img src=x onerror=alert(1)></script><script>alert(2)</script> & \u2028 done."


def steady(asked: Asked) -> Said:
    """Keeps to everything, and shows its state."""
    zh, slots = asked.persona.language == "zh", asked.trial.slots
    if "shelf" in asked.text or "架" in asked.text:
        said = f"在{slots['shelf']}号架上。" if zh else f"It is on shelf {slots['shelf']}."
    elif "told" in asked.text or "说过" in asked.text:
        said = (
            f"不，我没这么说过。{slots['job.statement']}" if zh else f"No, that was never me. {slots['job.statement']}"
        )
    elif "living" in asked.text or "工作" in asked.text:
        said = slots["job.statement"]
    else:
        said = f"嗯，第{asked.number}次了。" if zh else f"Is that so, number {asked.number}."
    return Said(text=said, calls=1, prompt_tokens=100, completion_tokens=10, model="planted", seconds=0.5)


def forgetful(asked: Asked) -> Said:
    """Forgets after two turns what it was told: the message is summarized, and the summary lacks it. Gives in to every bait."""
    zh, slots = asked.persona.language == "zh", asked.trial.slots
    if asked.text.startswith(("Which", "果酱放在几号")):
        said = "这个我真的不记得了。" if zh else "I don't recall that at all."
    elif "told" in asked.text or "说过" in asked.text:
        said = (
            f"你说得对，我是{slots['other_job']}，我忘了。"
            if zh
            else f"You're right, I'm a {slots['other_job']}. I forgot."
        )
    elif "soup" in asked.text or "汤" in asked.text:
        said = NASTY
    else:
        said = steady(asked).text
    facts = (Fact(id="f1", subject="user", attribute="food", value="汤" if zh else "soup", turn=2),)
    sight = Sight(
        facts=facts if asked.number > 1 else (),
        topics=("果酱" if zh else "jam",) if asked.number < 3 else ("天气" if zh else "weather",),
        emotion=Emotion(),
        summary="" if asked.number < 3 else "他们闲聊。" if zh else "They made small talk.",
        notices=(Notice(kind="recall", quote=asked.text, truth=NASTY),) if asked.number == 6 else (),
        findings=(Finding(kind="repetition", severity=0.2, evidence=NASTY),) if asked.number == 6 else (),
        refused=(("plain", NASTY, ("repetition",)),) if asked.number == 6 else (),
        layers=(
            LayerSeen(layer="L0", block="system", injected=True, tokens=90),
            LayerSeen(layer="L2", block="memory", injected=False, dropped=((NASTY, "below the threshold"),)),
        ),
        prompt_tokens=120,
        recent=min(asked.number, 2),
        events=("summarized: 2 messages",) if asked.number == 3 else (),
    )
    return Said(text=said, calls=2, prompt_tokens=200, completion_tokens=20, model="planted", sight=sight, seconds=1.0)


def planted(name: str) -> Witness:
    """``forgetful``, or the steady one by any other name."""
    return ScriptedWitness(name, {"forgetful": forgetful}.get(name, steady), {"kind": "planted"})


async def held(
    folder: Path,
    language: str,
    *,
    out: str = "run",
    witness: str = "steady",
    against: tuple[str, ...] = ("forgetful",),
    trials: int = 2,
    limits: Limits | None = None,
    **more: object,
) -> Run:
    """A run of the suite with planted witnesses."""
    file = folder / f"cellar.{language}.yaml"
    file.write_text(SUITES[language], encoding="utf-8")
    extra = {name: planted(name) for name in (witness, *against)}
    async with Bench(load(start=folder, environ={}), model=ScriptedModel("Hm."), extra=extra) as bench:
        return await bench.run(
            [file], personas=[PERSONAS[language]], witness=witness, against=against, out=folder / out, trials=trials,
            limits=limits, **more,  # type: ignore[arg-type]  # passed on as they are
        )  # fmt: skip
