"""Counting tokens without a tokenizer at hand: an estimate that learns from what the endpoint counts, and asking the endpoint."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence

import structlog

from harness.ports.tokens import PER_MESSAGE, TokenCounter, estimate, mostly_cjk
from harness.state import ModelCall

log = structlog.get_logger("harness.context")

LEAST, MOST = 0.9, 3.0
"""Bounds of the ratio of counted to estimated tokens. An endpoint that tells nonsense (the tokens it did not find in its cache, say)
must not make prompts overflow; the estimate is a few per cent above the count where it was measured.
"""
EASE = 0.1
"""Share of a lower ratio that is taken up at once. A higher one is taken up whole: too many tokens is the worse mistake."""
ENOUGH = 50
"""Estimated tokens of a prompt below which its ratio says little."""
MODELS = 64
"""Models whose ratio is kept."""

KNOWN = 8192
"""Texts whose exact count is kept."""
AT_ONCE = 8
"""Texts that an endpoint is asked about at the same time."""
PATIENCE_S = 1.0
"""Seconds that a turn waits for exact counts."""
FAILURES = 2
"""Failures in a row after which the endpoint is asked no more."""
LEAST_TEMPLATE, MOST_TEMPLATE = 3, 16
"""Bounds of the tokens of the chat template around one message."""

Ask = Callable[[str], Awaitable[int | None]]
"""Asks an endpoint for the tokens of a text; gives None when it cannot count."""


class CalibratedEstimate:
    """The estimate per script, times what the endpoint's own counts were of it so far.

    A ratio for each model and script (prompts that are mostly CJK, and others); it is kept as long as the counter.

    Args:
        model: gives the id of the model that answers.
    """

    exact = False
    per_message = PER_MESSAGE

    def __init__(self, model: Callable[[], str] = str) -> None:
        self._model = model
        self._ratios: OrderedDict[tuple[str, bool], float] = OrderedDict()

    @property
    def how(self) -> str:
        """``estimate``, with the ratios that are in use for the model at hand."""
        model = self._model()
        found = {name: self._ratios.get((model, cjk)) for name, cjk in (("latin", False), ("cjk", True))}
        known = ", ".join(f"{name} × {ratio:.2f}" for name, ratio in found.items() if ratio is not None)
        return f"estimate ({known})" if known else "estimate"

    def ratio(self, *, cjk: bool) -> float:
        """Counted tokens for an estimated one. What is known of the other script counts only when it is the higher one."""
        model = self._model()
        own = self._ratios.get((model, cjk))
        return own if own is not None else max(1.0, self._ratios.get((model, not cjk), 1.0))

    def count(self, text: str) -> int:
        """Tokens of a text."""
        return max(1, round(estimate(text) * self.ratio(cjk=mostly_cjk(text)))) if text else 0

    async def measure(self, texts: Collection[str]) -> bool:  # noqa: ARG002 - the protocol's argument
        """Nothing: nobody is asked."""
        return False

    def learn(self, model: str, texts: Sequence[str], prompt_tokens: int) -> None:
        """Move the ratio of a model: up at once, down slowly, never out of its bounds."""
        guessed = sum(estimate(text) + PER_MESSAGE for text in texts)
        if guessed < ENOUGH or prompt_tokens <= 0:
            return
        key = (model, mostly_cjk("\n".join(texts)))
        seen = min(max(prompt_tokens / guessed, LEAST), MOST)
        old = self._ratios.pop(key, None)
        self._ratios[key] = seen if old is None or seen >= old else old + EASE * (seen - old)
        if len(self._ratios) > MODELS:
            self._ratios.popitem(last=False)


class ExactCounter:
    """A tokenizer on this machine, and the chat template around messages learned from what the endpoint counts.

    Args:
        name: of the tokenizer. ``tokenize``: tokens of a text.
    """

    exact = True

    def __init__(self, name: str, tokenize: Callable[[str], int]) -> None:
        self.how = f"tokenizer {name}"
        self._tokenize = tokenize
        self._known: OrderedDict[str, int] = OrderedDict()
        self.per_message = PER_MESSAGE

    def count(self, text: str) -> int:
        """Tokens of a text."""
        if not text:
            return 0
        found = self._known.get(text)
        if found is None:
            found = self._tokenize(text)
            _keep(self._known, text, found)
        return found

    async def measure(self, texts: Collection[str]) -> bool:  # noqa: ARG002 - the protocol's argument
        """Nothing: everything is counted as it is needed."""
        return False

    def learn(self, model: str, texts: Sequence[str], prompt_tokens: int) -> None:  # noqa: ARG002 - the protocol's argument
        """What the endpoint counted beyond the texts is its template."""
        self.per_message = _template(self.per_message, sum(map(self.count, texts)), len(texts), prompt_tokens)


class AskedCounter:
    """An endpoint that counts when it is asked; until it has, and when it does not answer, the estimate.

    Args:
        asking: gives what asks it; None before there is a connection, or where it has no such thing.
        rest: counts what it was not asked about.
    """

    def __init__(self, asking: Callable[[], Ask | None], rest: TokenCounter) -> None:
        self._asking = asking
        self._rest = rest
        self._known: OrderedDict[str, int] = OrderedDict()
        self._failures = 0
        self._asked = 0
        self._template = PER_MESSAGE

    @property
    def exact(self) -> bool:
        """Whether the endpoint has answered so far."""
        return bool(self._known) and self._failures < FAILURES

    @property
    def how(self) -> str:
        """``endpoint``, or how the rest is counted while it has not answered."""
        return "endpoint" if self.exact else self._rest.how

    @property
    def per_message(self) -> int:
        """Tokens of the chat template around each message."""
        return self._template if self.exact else self._rest.per_message

    def count(self, text: str) -> int:
        """Tokens of a text: exact when it was measured."""
        found = self._known.get(text)
        return self._rest.count(text) if found is None else found

    async def measure(self, texts: Collection[str]) -> bool:
        """Ask for the texts that are not known. After ``FAILURES`` in a row nothing is asked any more."""
        ask = self._asking()
        missing = [text for text in dict.fromkeys(texts) if text and text not in self._known]
        if ask is None or not missing or self._failures >= FAILURES:
            return False
        before = self._asked
        try:
            async with asyncio.timeout(PATIENCE_S):
                await self._one(
                    ask, missing[0]
                )  # alone: most endpoints cannot count, and need not be asked eight times
                await self._all(ask, missing[1:])
        except TimeoutError:
            self._failures += 1
        if self._failures >= FAILURES:
            log.info("tokens_are_estimated", reason="the endpoint did not count them")
        return self._asked > before

    async def _all(self, ask: Ask, texts: Sequence[str]) -> None:
        places = asyncio.Semaphore(AT_ONCE)

        async def one(text: str) -> None:
            async with places:
                await self._one(ask, text)

        async with asyncio.TaskGroup() as group:
            for text in texts:
                group.create_task(one(text))

    async def _one(self, ask: Ask, text: str) -> None:
        if self._failures >= FAILURES:
            return
        counted = await ask(text)
        if counted is None:
            self._failures += 1
        else:
            self._failures = 0
            self._asked += 1
            _keep(self._known, text, counted)

    def learn(self, model: str, texts: Sequence[str], prompt_tokens: int) -> None:
        """Calibrates the estimate; and the template, when every text of the prompt was counted."""
        self._rest.learn(model, texts, prompt_tokens)
        known = [self._known[text] for text in texts if text in self._known]
        if len(known) == len(texts):
            self._template = _template(self._template, sum(known), len(texts), prompt_tokens)


def learn_from(tokens: TokenCounter, calls: Iterable[ModelCall]) -> None:
    """Have a counter learn from calls whose tokens the endpoint told. Begun answers and schemas are no part of the messages, and
    are told in its count, so that such calls say nothing.
    """
    for made in calls:
        plain = not (made.error or made.prefill or '"structured"' in made.parameters)
        if plain and made.role == "responder" and not made.usage.estimated and made.usage.prompt > 0:
            tokens.learn(made.model, [content for _, content in made.messages], made.usage.prompt)


def _keep(known: OrderedDict[str, int], text: str, tokens: int) -> None:
    known[text] = tokens
    if len(known) > KNOWN:
        known.popitem(last=False)


def _template(now: int, texts: int, messages: int, prompt_tokens: int) -> int:
    """Tokens around one message, rounded up, within bounds; as it was where the endpoint counted fewer than the texts are."""
    if not messages or prompt_tokens < texts:
        return now
    return min(max(-(-(prompt_tokens - texts) // messages), LEAST_TEMPLATE), MOST_TEMPLATE)
