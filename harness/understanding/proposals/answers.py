"""What a model answers when it is asked to judge or to take notes: one schema per prompt, ``reasoning`` first.

Reading is forgiving, because a whole answer must not be lost over one odd item: unknown keys are ignored, numbers
become text, a missing or null field takes its default, a lone object counts as a list of one. What is wrong with an
item is found when it is turned into operations, where a refusal carries its reason. Only an object without any of the
expected keys is refused whole: it answers another question.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema, model_validator

from harness.language.shared import shared_words

MAX_REASONING = 240
"""Longest reasoning asked for, in characters: one sentence. A longer one is cut, for nothing depends on it."""
MAX_QUOTE = 200
MAX_VALUE = 120
MAX_NAME = 60
MAX_FACTS = 12
MAX_ENTITIES = 12
MAX_COMMITMENTS = 6
MAX_TASK_CHANGES = 6
ENTITY_KINDS = ("person", "place", "organization", "animal", "work", "time", "thing", "other")


def _to_text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return ", ".join(_to_text(item) for item in value)
    if isinstance(value, str | int | float):
        # A lone surrogate, as a broken escape leaves it, cannot be stored.
        return str(value).encode("utf-8", "replace").decode("utf-8").strip()
    return ""


def _to_label(value: object) -> str:
    return _to_text(value).lower()


def _to_reasoning(value: object) -> str:
    return _to_text(value)[:MAX_REASONING]


def _to_number(value: object) -> float:
    try:
        number = float(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else 0.0
    except (ValueError, OverflowError):
        return 0.0
    return number if math.isfinite(number) else 0.0


def _to_share(value: object) -> float | None:
    """A number; None where there is none, so that nothing counts as unimportant that was not weighed."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _to_polarity(value: object) -> bool:
    if isinstance(value, int | float):
        return value > 0
    return not (isinstance(value, str) and value.strip().lower() in shared_words().no)


def _to_items(value: object) -> tuple[object, ...]:
    if value is None or value == "":
        return ()
    return tuple(value) if isinstance(value, list | tuple) else (value,)


def _limit(characters: int) -> Any:
    return Field(json_schema_extra={"maxLength": characters})


def _count(items: int) -> Any:
    return Field(json_schema_extra={"maxItems": items})


def _choice(*values: str) -> Any:
    return Field(json_schema_extra={"enum": list(values)})


Reasoning = Annotated[str, BeforeValidator(_to_reasoning), _limit(MAX_REASONING)]
Quote = Annotated[str, BeforeValidator(_to_text), _limit(MAX_QUOTE)]
Value = Annotated[str, BeforeValidator(_to_text), _limit(MAX_VALUE)]
Name = Annotated[str, BeforeValidator(_to_text), _limit(MAX_NAME)]
Label = Annotated[str, BeforeValidator(_to_label)]
Number = Annotated[float, BeforeValidator(_to_number)]
Share = Annotated[float | None, BeforeValidator(_to_share), WithJsonSchema({"type": "number"})]
"""From 0 to 1. What lies outside is seen, and refused, where it is used."""
Polarity = Annotated[bool, BeforeValidator(_to_polarity)]


def _strict(schema: dict[str, Any]) -> None:
    """Ask for every field, in order, and for no other: reading is forgiving, asking is not.

    A field that a grammar may skip, a small model skips, the reasoning first of all.
    """
    properties = schema.get("properties", {})
    for field in properties.values():
        field.pop("default", None)
        field.pop("title", None)
    schema.pop("title", None)
    schema.pop("description", None)
    schema |= {"required": list(properties), "additionalProperties": False}


class Answer(BaseModel):
    """Base of all answers and of their parts."""

    model_config = ConfigDict(frozen=True, extra="ignore", json_schema_extra=_strict)
    main: ClassVar[str] = ""
    """The field a bare string stands for, when a model gives a string instead of an object."""
    needs: ClassVar[tuple[str, ...]] = ()
    """At least one of these keys must be there: an object without any is an answer to something else."""

    @model_validator(mode="before")
    @classmethod
    def _from_anything(cls, data: object) -> object:
        if isinstance(data, str | int | float) and cls.main:
            return {cls.main: data}
        if not cls.needs and not isinstance(data, Mapping | Answer):
            return {}  # an item that is nothing at all: refused with a reason when it is converted
        if cls.needs and isinstance(data, Mapping) and not any(key in data for key in cls.needs):
            message = f"expected an object with {' or '.join(cls.needs)}, got the keys {sorted(map(str, data))[:8]}"
            raise ValueError(message)
        return data


class FactProposal(Answer):
    """A change to one fact. ``quote`` are the words that carry it, ``speaker`` who said them, ``importance`` how much it matters that
    it be remembered.
    """

    main: ClassVar[str] = "quote"
    quote: Quote = ""
    speaker: Name = "user"
    subject: Name = ""
    attribute: Name = ""
    value: Value = ""
    polarity: Polarity = True
    action: Annotated[Label, _choice("assert", "revise", "retract")] = "assert"
    fact_id: Name = ""
    importance: Share = None


class CommitmentProposal(Answer):
    """A promise made, or the end of a known one."""

    main: ClassVar[str] = "quote"
    quote: Quote = ""
    by: Name = ""
    text: Value = ""
    due: Name = ""
    action: Annotated[Label, _choice("open", "kept", "broken", "withdrawn")] = "open"
    commitment_id: Name = ""


class TaskProposal(Answer):
    """A change to the task at hand. ``quote`` are the words that carry it."""

    main: ClassVar[str] = "quote"
    quote: Quote = ""
    text: Value = ""
    action: Annotated[Label, _choice("done", "todo", "ruled_out", "confirmed", "artifact")] = "todo"


class TopicProposal(Answer):
    """What the turn does to the topic stack."""

    main: ClassVar[str] = "action"
    action: Annotated[Label, _choice("keep", "push", "return", "pop")] = "keep"
    label: Name = ""
    topic_id: Name = ""


class EmotionProposal(Answer):
    """The feeling shown. ``label``: empty when the answer did not say; valence and arousal from -1 to 1."""

    main: ClassVar[str] = "label"
    label: Annotated[Label, _limit(MAX_NAME)] = ""
    valence: Number = 0.0
    arousal: Number = 0.0
    cause: Quote = ""


class EntityProposal(Answer):
    """Something named in the turn. ``same_as``: id or name of a known entity it is another name for."""

    main: ClassVar[str] = "name"
    name: Name = ""
    kind: Annotated[Label, _choice(*ENTITY_KINDS)] = "other"
    same_as: Name = ""


Facts = Annotated[tuple[FactProposal, ...], BeforeValidator(_to_items), _count(MAX_FACTS)]
Commitments = Annotated[tuple[CommitmentProposal, ...], BeforeValidator(_to_items), _count(MAX_COMMITMENTS)]
TaskChanges = Annotated[tuple[TaskProposal, ...], BeforeValidator(_to_items), _count(MAX_TASK_CHANGES)]
Entities = Annotated[tuple[EntityProposal, ...], BeforeValidator(_to_items), _count(MAX_ENTITIES)]


class TurnAnalysis(Answer):
    """Answer to ``turn_analysis``: everything one turn changes."""

    needs: ClassVar[tuple[str, ...]] = (
        "facts",
        "commitments",
        "topic",
        "user_emotion",
        "character_emotion",
        "entities",
    )
    reasoning: Reasoning = ""
    facts: Facts = ()
    commitments: Commitments = ()
    topic: TopicProposal = TopicProposal()
    user_emotion: EmotionProposal = EmotionProposal()
    character_emotion: EmotionProposal = EmotionProposal()
    entities: Entities = ()


class FactDeltas(Answer):
    """Answer to ``extract_facts``."""

    needs: ClassVar[tuple[str, ...]] = ("facts", "commitments")
    reasoning: Reasoning = ""
    facts: Facts = ()
    commitments: Commitments = ()


class TaskTurnAnalysis(TurnAnalysis):
    """Answer to ``turn_analysis`` while a task is set."""

    task: TaskChanges = ()


class TaskFactDeltas(FactDeltas):
    """Answer to ``extract_facts`` while a task is set."""

    task: TaskChanges = ()


class TopicUpdate(Answer):
    """Answer to ``update_topic``."""

    needs: ClassVar[tuple[str, ...]] = ("topic", "user_emotion", "character_emotion", "entities")
    reasoning: Reasoning = ""
    topic: TopicProposal = TopicProposal()
    user_emotion: EmotionProposal = EmotionProposal()
    character_emotion: EmotionProposal = EmotionProposal()
    entities: Entities = ()


class PremiseVerdict(Answer):
    """Answer to ``consistency_check`` in mode ``premise``."""

    needs: ClassVar[tuple[str, ...]] = ("relation",)
    reasoning: Reasoning = ""
    claim: Quote = ""
    fact_id: Name = ""
    relation: Annotated[Label, _choice("agrees", "contradicts", "unrelated")] = "unrelated"


class ReplyVerdict(Answer):
    """Answer to ``consistency_check`` in mode ``reply``."""

    needs: ClassVar[tuple[str, ...]] = ("kind",)
    reasoning: Reasoning = ""
    kind: Annotated[Label, _choice("none", "contradiction", "concession", "character_break", "wrong_speaker")] = "none"
    fact_id: Name = ""
    evidence: Quote = ""


class HeldReply(Answer):
    """Answer to ``revise`` in mode ``json``. Stating the truth first does what reasoning does elsewhere."""

    needs: ClassVar[tuple[str, ...]] = ("reply",)
    truth: Quote = ""
    user_claim_is: Annotated[Label, _choice("true", "false", "partly")] = "false"
    reply: Annotated[str, BeforeValidator(_to_text), _limit(400)] = ""


class SummaryText(Answer):
    """Answer to ``summarize`` when it is asked for as JSON."""

    needs: ClassVar[tuple[str, ...]] = ("summary",)
    main: ClassVar[str] = "summary"
    reasoning: Reasoning = ""
    summary: Annotated[str, BeforeValidator(_to_text), _limit(4000)] = ""


def answer_schema(
    kind: type[Answer],
    *,
    bounds: bool = False,
    choices: Mapping[str, Sequence[str]] | None = None,
) -> dict[str, Any]:
    """The JSON schema to constrain an answer with: flat, every field required, in the order it is to be written.

    Args:
        kind: one of the answers of this module.
        bounds: keep ``maxLength`` and ``maxItems``. They keep a small model from running on, and llama.cpp's grammars
            understand them; OpenAI's strict mode refuses ``maxLength``, so by default they are left out.
        choices: field name to the values it may take, wherever the field occurs: ``{"truth": [fact]}`` or
            ``{"label": emotion_labels}``.
    """
    document = kind.model_json_schema()
    schema = _flat(document, document.get("$defs", {}), bounds=bounds, choices=choices or {})
    return dict(schema)


def _flat(
    node: Mapping[str, Any], definitions: Mapping[str, Any], *, bounds: bool, choices: Mapping[str, Sequence[str]]
) -> dict[str, Any]:
    if "$ref" in node:
        node = definitions[node["$ref"].rpartition("/")[2]]
    flat: dict[str, Any] = {"type": node["type"]}
    if "enum" in node:
        flat["enum"] = list(node["enum"])
    if bounds:
        flat |= {key: node[key] for key in ("maxLength", "maxItems") if key in node}
    if node["type"] == "array":
        flat["items"] = _flat(node["items"], definitions, bounds=bounds, choices=choices)
    if node["type"] == "object":
        properties = {
            name: _flat(field, definitions, bounds=bounds, choices=choices)
            for name, field in node["properties"].items()
        }
        for name in properties.keys() & choices.keys():
            if choices[name]:
                properties[name] = {"type": "string", "enum": list(choices[name])}
        flat |= {"properties": properties, "required": list(properties), "additionalProperties": False}
    return flat


__all__ = [
    "Answer",
    "CommitmentProposal",
    "EmotionProposal",
    "EntityProposal",
    "FactDeltas",
    "FactProposal",
    "HeldReply",
    "PremiseVerdict",
    "ReplyVerdict",
    "SummaryText",
    "TaskFactDeltas",
    "TaskProposal",
    "TaskTurnAnalysis",
    "TopicProposal",
    "TopicUpdate",
    "TurnAnalysis",
    "answer_schema",
]
