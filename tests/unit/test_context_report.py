"""The report on what the model saw: in the record, the log, the command line."""

from __future__ import annotations

import asyncio
import logging
import sys
from pathlib import Path
from typing import Any

import pytest
import structlog
from structlog.testing import LogCapture
from typer.testing import CliRunner

from harness.cli.main import app
from harness.state import ContextReport, TurnRecord
from tests.unit._context import harness_with, talked

BOTH = pytest.mark.parametrize("code", ["en", "zh"])
TOLD = {"en": ["I like jazz music.", "I have a cat called Bean."], "zh": ["我喜欢爵士乐。", "我养了一只猫叫豆豆。"]}
ASKED = {"en": "Is jazz music good for my cat?", "zh": "我的猫会喜欢爵士乐吗？"}
HELLO = {"en": "Good morning.", "zh": "早上好。"}


def kinds(record: TurnRecord) -> list[str]:
    return [trouble.kind for trouble in record.context.troubles]


@BOTH
async def test_every_layer_says_what_was_found_with_which_score_and_what_went_in(code: str) -> None:
    async with harness_with(code) as harness:
        await talked(harness, code, *TOLD[code])
        _, record = await talked(harness, code, HELLO[code], ASKED[code], session="second")
    report = record.context
    assert {one.layer for one in report.layers} >= {"L0", "L1", "L2", "L3"}
    assert report.injected("L0")
    found = next(one for one in report.layers if (one.layer, one.block) == ("L3", "memory"))
    assert found.injected
    assert found.cap == 300
    assert found.threshold == 0.15
    assert found.retrieved >= len(found.items) >= 1
    assert all(item.score > 0 and item.why for item in found.items if not item.dropped)
    assert 0 < report.tokens_of("L3") < report.total_tokens <= report.budget
    parts = sum(report.tokens_of(layer) for layer in ("L0", "L1", "L2", "L3", "history", "input"))
    assert parts == pytest.approx(report.total_tokens, abs=6), (
        "the layers add up to the prompt, but for what joins them"
    )
    assert report.tokens_of("L1") > 0
    assert report.troubles == ()
    assert all(item.text for item in report.items_of("L2") + report.items_of("L3"))


@BOTH
async def test_a_threshold_that_lets_nothing_through_is_named_with_the_best_score(code: str) -> None:
    high = {"memory_l2__similarity_threshold": 0.99, "memory_l3__similarity_threshold": 0.99}
    asked = {"en": "Tell me about music in the winter of a northern town.", "zh": "说说北方小镇冬天里的爵士生活吧。"}[
        code
    ]
    async with harness_with(code, **high) as harness:
        await talked(harness, code, *TOLD[code])
        _, record = await talked(harness, code, asked, session="second")
    warned = [trouble for trouble in record.context.troubles if trouble.kind == "threshold_too_high"]
    assert "L3" in [trouble.layer for trouble in warned]
    assert all("similarity_threshold is 0.99" in trouble.text for trouble in warned)
    assert set(record.context.warnings) >= {trouble.text for trouble in warned}
    assert not any(one.injected for one in record.context.layers if one.block == "memory")


@BOTH
async def test_an_item_larger_than_its_layer_is_named(code: str) -> None:
    async with harness_with(code, memory_l2__max_tokens=4, memory_l3__max_tokens=4) as harness:
        await talked(harness, code, *TOLD[code])
        _, record = await talked(harness, code, ASKED[code], session="second")
    warned = [trouble for trouble in record.context.troubles if trouble.kind == "oversized_item"]
    assert warned
    assert any("alone it has" in item.dropped for item in record.context.items_of("L2") + record.context.items_of("L3"))


@BOTH
async def test_layers_that_are_never_cut_warn_above_their_own_limit(code: str) -> None:
    async with harness_with(code, memory_l0__max_tokens=10, memory_l1__max_tokens=1) as harness:
        _, record = await talked(harness, code, *TOLD[code])
    over = [trouble for trouble in record.context.troubles if trouble.kind == "budget_exceeded"]
    assert [trouble.layer for trouble in over] == ["L0", "L1"]
    assert record.context.injected("L0")


@BOTH
async def test_a_user_id_that_nothing_is_known_of_is_warned_of_without_naming_others(code: str) -> None:
    async with harness_with(code) as harness:
        _, alone = await talked(harness, code, HELLO[code], user="nora")
        assert "unknown_user" not in kinds(alone), "nobody is known yet"
        await talked(harness, code, *TOLD[code], user="nora")
        session, record = await talked(harness, code, HELLO[code], session="second", user="n0ra")
        (trouble,) = [one for one in record.context.troubles if one.kind == "unknown_user"]
        assert trouble.text == "nothing is known of the user id 'n0ra'"
        assert "nora" not in str(record.context)
        await session.say(TOLD[code][0])
        await session.say(HELLO[code])
        assert "unknown_user" not in kinds(await session.report()), "now something is"
        _, known = await talked(harness, code, HELLO[code], session="third", user="nora")
        assert "unknown_user" not in kinds(known)


@BOTH
async def test_a_build_is_logged_for_who_debugs(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = LogCapture()
    logger = structlog.wrap_logger(
        structlog.PrintLogger(), processors=[lines], wrapper_class=structlog.make_filtering_bound_logger(logging.DEBUG)
    )
    monkeypatch.setattr(
        sys.modules["harness.turn.steps.compose"], "log", logger
    )  # the package names the step like the module
    async with harness_with(code) as harness:
        _, record = await talked(harness, code, TOLD[code][0])
    (event,) = lines.entries
    assert (event["event"], event["log_level"]) == ("context_built", "debug")
    assert event["tokens"] == record.context.total_tokens
    assert event["layers"]["L0"] == record.context.tokens_of("L0") > 0
    assert set(event["layers"]) == {"L0", "L1", "L2", "L3", "history"}
    assert event["warnings"] == []


@BOTH
async def test_prompts_do_not_grow_with_the_talk(code: str) -> None:
    filler = {
        "en": "On day {n} the ferry was late again because of fog and wind.",
        "zh": "第{n}天渡轮又因为大雾和大风晚点了。",
    }[code]
    tokens: list[int] = []
    async with harness_with(code, harness__persona_consistency_check="false") as harness:
        session, _ = await talked(harness, code, *TOLD[code])
        for number in range(90):
            await session.say(filler.format(n=number))
            tokens.append((await session.report()).context.total_tokens)
    assert max(tokens[60:]) <= max(tokens[20:50]) * 1.1
    assert max(tokens) < 4096


# --- the command line --------------------------------------------------------------------------------------------------------------


@BOTH
async def test_the_command_line_shows_it_and_gives_it_as_json(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    stored: dict[str, Any] = {"storage__backend": "sqlite", "storage__path": str(tmp_path / "s.db")}
    async with harness_with(code, memory_l0__max_tokens=10, **stored) as harness:
        await talked(harness, code, *TOLD[code])
        _, record = await talked(harness, code, ASKED[code], session="second")
    path = ["--set", f"storage.path={tmp_path / 's.db'}"]
    shown = await asyncio.to_thread(_run, "show", "second", "--context", *path)
    assert "budget exceeded: L0 has" in shown
    assert "counted by estimate" in shown
    assert "L0 → summary → history → L2 → L3 → L1" in shown
    given = await asyncio.to_thread(_run, "show", "second", "--context", "--json", *path)
    whole = ContextReport.model_validate_json(given)
    assert whole == record.context
    assert whole.troubles[0].kind == "budget_exceeded"


def _run(*arguments: str) -> str:
    done = CliRunner().invoke(app, list(arguments), env={"COLUMNS": "200"})
    assert done.exit_code == 0, done.output
    return done.output
