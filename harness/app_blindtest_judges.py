"""The model judge of a bench, and how it judges. Part of the composition root."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from harness.blindtest.grading.calibration import THRESHOLD, Calibration
from harness.blindtest.grading.model import ModelJudge
from harness.blindtest.grading.opinions import JudgeMode
from harness.blindtest.metering import Meter, MeteredModel
from harness.errors import RunError
from harness.ports import Model
from harness.settings import Settings

if TYPE_CHECKING:
    from harness.app_blindtest import Bench

MODES: tuple[JudgeMode, ...] = ("rules", "model", "both")


@dataclass(frozen=True, slots=True)
class Judging:
    """How replies are judged.

    Attributes:
        mode: ``rules``; ``both``: rules first, a model for what they leave undecided; ``model``: a model for all that is about meaning.
        votes, temperature: of the model, a question.
        calibration: of this judge, or where it is stored. Without one, the run's own is used, or made on the shipped rows.
        calibrate: False: make none; then verdicts of a judge without one do not count.
        threshold: least lower bound of the judge's accuracy for its verdicts to count.
        at_once: questions side by side.
    """

    mode: JudgeMode = "rules"
    votes: int = 3
    temperature: float = 0.7
    calibration: Calibration | Path | None = None
    calibrate: bool = True
    threshold: float = THRESHOLD
    at_once: int = 1

    @classmethod
    def of(cls, judge: str | Judging) -> Judging:
        """From a mode.

        Raises:
            RunError: there is no such mode, or a number is out of its range.
        """
        if isinstance(judge, Judging):
            made = judge
        elif judge in MODES:
            made = cls(mode=judge)
        else:
            raise RunError(f"There is no judge {judge!r}.", remedy=f"There are {', '.join(MODES)}.")
        if made.votes < 1 or made.at_once < 1 or not 0 <= made.temperature <= 2 or not 0 <= made.threshold <= 1:
            raise RunError(
                f"Expected at least one vote, a temperature from 0 to 2 and a threshold from 0 to 1, got {made.votes}, "
                f"{made.temperature} and {made.threshold}.",
                remedy="Correct these numbers.",
            )
        return made


def judge_of(bench: Bench, judging: Judging, meter: Meter | None = None) -> ModelJudge:
    """The model judge of a bench: the evaluator of its settings. ``meter``: counts what it uses."""

    async def model() -> Model:
        found = await bench.base.model()
        return found if meter is None else MeteredModel(found, meter)

    return ModelJudge(
        model,
        bench.base.prompts,
        votes=judging.votes,
        temperature=judging.temperature,
        at_once=judging.at_once,
        model_name=evaluator(bench),
    )


def evaluator(bench: Bench) -> str:
    """The id of the model that judges."""
    settings = bench.base.settings
    assert isinstance(settings, Settings)  # noqa: S101 - a Harness keeps them so
    if bench.model is not None:
        return bench.model.model_id("evaluator")
    models = settings.models
    return models.evaluator or models.responder or (settings.local.model if settings.embedded else "")
