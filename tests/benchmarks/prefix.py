"""Time to first token as a conversation grows: the layout with a stable prefix, and everything rebuilt in the system prompt.

    python -m tests.benchmarks.prefix --model PATH

Both layouts hold the same conversation (the same user messages, the same replies, put in by the script) with one
embedded server in one run; turn by turn they take turns, and each is pinned to a slot of the server of its own, so that neither
evicts the other's cache. The rebuilt layout, too, keeps the part of its system prompt that stands before what changes;
in a turn before which nothing changed in the state (marked =) it keeps everything, and is then the faster one.
"""

import argparse
import asyncio
import statistics
import tempfile
import time
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from harness.adapters.models.openai_sdk import OpenAIModel
from harness.app_connecting import EMBEDDED_SAMPLING, ROLES
from harness.ports import Capabilities, ModelDelta, ModelReply, ModelRequest, Role
from tests.benchmarks._embedded import Served, add_arguments, served
from tests.benchmarks._measuring import machine, table, title
from tests.benchmarks._states import REPLIES

READ_TOKENS = 4
"""Tokens that are really sampled; the reply that enters the conversation is the script's."""

TALK = {
    "en": (
        "Hi, I'm Tom. I run a small bakery two streets from here.",
        "I have a dog called Bruno and he hates the rain.",
        "My number at the market is 4172, in case you need bread.",
        "It was a long morning, the oven broke down again.",
        "My sister Nora will help me out on Saturday.",
        "Do you know anybody who repairs old ovens?",
        "I'm a bit worried about the money, to be honest.",
        "By the way, I also have a cat called Pixel.",
        "I live in the yellow house by the bridge.",
        "My birthday is on the 9th of March, you should come.",
        "Do you think he is bored when I bake?",
        "I should go, the dough is waiting. What was my number again?",
    ),
    "zh": (
        "你好，我叫小周，在前面两条街开一家面包店。",
        "我养了一只狗叫豆包，它最怕下雨。",
        "我在集市的摊位号是4172，要面包就来找我。",
        "今天早上折腾死我了，烤箱又坏了。",
        "我姐姐小诺星期六来帮忙。",
        "你认识会修老烤箱的人吗？",
        "说实话，我有点担心钱的事。",
        "对了，我还养了一只猫叫像素。",
        "我住在桥头那栋黄房子里。",
        "我的生日是三月九号，到时候你也来。",
        "你说我揉面的时候它是不是无聊？",
        "我该走了，面还发着呢。我的摊位号是多少来着？",
    ),
}
LAYOUTS = {"stable prefix": "auto", "rebuilt in the system prompt": "first"}


@dataclass(slots=True)
class Probe:
    """A model that reads the prompt for real, notes when the first token came, and answers with the script's words."""

    model: OpenAIModel
    replies: tuple[str, ...]
    seconds: list[float] = field(default_factory=list)
    prompt: list[int] = field(default_factory=list)
    cached: list[int] = field(default_factory=list)
    opening: list[str] = field(default_factory=list)

    @property
    def capabilities(self) -> Capabilities:
        return self.model.capabilities

    def model_id(self, role: Role) -> str:
        return self.model.model_id(role)

    async def complete(self, request: ModelRequest) -> ModelReply:
        self.opening.append(request.messages[0].content)
        started, first = time.perf_counter(), 0.0
        async for piece in self.model.stream(replace(request, max_tokens=READ_TOKENS)):
            if piece.text and not first:
                first = time.perf_counter() - started
            if piece.reply is not None:
                self.seconds.append(first)
                self.prompt.append(piece.reply.usage.prompt)
                self.cached.append(piece.reply.usage.cached or 0)
        text = self.replies[(len(self.seconds) - 1) % len(self.replies)]
        return ModelReply(text, model=self.model.model_id(request.role))

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelDelta, None]:
        yield ModelDelta(reply=await self.complete(request))

    async def close(self) -> None:
        await self.model.close()


async def measure(served_model: Served, folder: Path, language: str, persona: str) -> dict[str, Probe]:
    """One conversation in both layouts."""
    probes: dict[str, Probe] = {}
    sessions: dict[str, Any] = {}
    for slot, (name, placement) in enumerate(LAYOUTS.items()):
        body = {**EMBEDDED_SAMPLING, "id_slot": slot}
        model = OpenAIModel(served_model.url, models=dict.fromkeys(ROLES, served_model.name), timeout_s=600, extra_body=body, trust_env=False)  # fmt: skip
        probes[name] = Probe(model, REPLIES[language])
        harness = served_model.harness(folder, model=probes[name], context_placement=placement, max_revisions=0, seed=1)
        sessions[name] = await harness.open(persona)
    for number, text in enumerate(TALK[language], 1):
        order = list(LAYOUTS) if number % 2 else list(LAYOUTS)[::-1]
        for name in order:
            await sessions[name].say(text)
            await sessions[name].close()
        print(
            f"  turn {number}: " + ", ".join(f"{name} {probe.seconds[-1]:.2f} s" for name, probe in probes.items()),
            flush=True,
        )
    for probe in probes.values():
        await probe.close()
    return probes


def show(probes: dict[str, Probe], turn: int) -> tuple[float, float]:
    """The table of one conversation; gives the ratio at ``turn`` and that of the sums from turn 2 on."""
    stable, rebuilt = (probes[name] for name in LAYOUTS)
    rows = []
    for index in range(len(stable.seconds)):
        ratio = rebuilt.seconds[index] / stable.seconds[index]
        cells = [
            cell
            for probe in (stable, rebuilt)
            for cell in (f"{probe.seconds[index]:.2f}", str(probe.prompt[index]), str(probe.cached[index]))
        ]
        same = index and rebuilt.opening[index] == rebuilt.opening[index - 1]
        rows.append((f"{index + 1}{' =' if same else ''}", *cells, f"{ratio:.1f}"))
    table(("turn", "stable: s", "prompt", "cached", "rebuilt: s", "prompt", "cached", "ratio"), rows)
    return rebuilt.seconds[turn - 1] / stable.seconds[turn - 1], sum(rebuilt.seconds[1:]) / sum(stable.seconds[1:])


async def main(given: argparse.Namespace) -> None:
    print(machine())
    ratios: list[float] = []
    with served(given) as model, tempfile.TemporaryDirectory() as folder:
        for repeat in range(given.repeat):
            for persona, language in (("mia", "en"), ("lin", "zh")):
                if language in given.languages:
                    title(f"Time to first token, {persona}, conversation {repeat + 1}")
                    probes = await measure(model, Path(folder), language, persona)
                    at_turn, overall = show(probes, given.turn)
                    ratios.append(at_turn)
                    print(
                        f"turn {given.turn}: the first token comes {at_turn:.1f} × sooner; turns 2 to the last: {overall:.1f} ×"
                    )
    print(f"\nturn {given.turn}, median of {len(ratios)} conversations: {statistics.median(ratios):.1f} × sooner")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser)
    parser.add_argument("--languages", nargs="+", choices=("en", "zh"), default=("en", "zh"))
    parser.add_argument("--repeat", type=int, default=1, help="conversations per language")
    parser.add_argument("--turn", type=int, default=10, help="the turn that the ratio is given for")
    asyncio.run(main(parser.parse_args()))
