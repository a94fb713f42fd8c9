"""What models answer: schemas that every endpoint takes, and forgiving reading."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, strategies as st
from pydantic import TypeAdapter, ValidationError

from harness.understanding.proposals.answers import (
    MAX_REASONING,
    Answer,
    FactDeltas,
    FactProposal,
    HeldReply,
    PremiseVerdict,
    ReplyVerdict,
    SummaryText,
    TopicUpdate,
    TurnAnalysis,
    answer_schema,
)

ANSWERS = (TurnAnalysis, FactDeltas, TopicUpdate, PremiseVerdict, ReplyVerdict, HeldReply, SummaryText)


@pytest.mark.parametrize("answer", ANSWERS)
def test_reasoning_comes_first_in_every_schema(answer: type[Answer]) -> None:
    first = "truth" if answer is HeldReply else "reasoning"
    for bounds in (False, True):
        schema = answer_schema(answer, bounds=bounds)
        assert next(iter(schema["properties"])) == first
        assert schema["required"] == list(schema["properties"])


@pytest.mark.parametrize("answer", ANSWERS)
def test_schemas_use_only_what_strict_endpoints_take(answer: type[Answer]) -> None:
    def check(node: dict[str, Any], allowed: set[str]) -> None:
        assert set(node) <= allowed
        if node["type"] == "object":
            assert node["additionalProperties"] is False
            assert node["required"] == list(node["properties"])
            for part in node["properties"].values():
                check(part, allowed)
        elif node["type"] == "array":
            check(node["items"], allowed)
        else:
            assert node["type"] in {"string", "number", "boolean"}

    strict = {"type", "properties", "required", "additionalProperties", "items", "enum"}
    check(answer_schema(answer), strict)
    bounded = answer_schema(answer, bounds=True)
    check(bounded, strict | {"maxLength", "maxItems"})
    assert "maxLength" in json.dumps(bounded)


@pytest.mark.parametrize("answer", ANSWERS)
def test_pydantics_own_schema_asks_for_every_field_too(answer: type[Answer]) -> None:
    document = TypeAdapter(answer).json_schema()
    for schema in (document, *document.get("$defs", {}).values()):
        assert schema["required"] == list(schema["properties"])
        assert schema["additionalProperties"] is False
        assert not any("default" in field for field in schema["properties"].values())


def test_choices_narrow_a_field_wherever_it_occurs() -> None:
    schema = answer_schema(TopicUpdate, choices={"label": ["joy", "anger"]})
    assert schema["properties"]["user_emotion"]["properties"]["label"] == {"type": "string", "enum": ["joy", "anger"]}
    assert answer_schema(HeldReply, choices={"truth": ["我有一只猫。"]})["properties"]["truth"]["enum"] == [
        "我有一只猫。"
    ]
    assert "enum" not in answer_schema(HeldReply, choices={"truth": []})["properties"]["truth"]


def test_odd_shapes_are_read_as_what_they_mean() -> None:
    analysis = TurnAnalysis.model_validate(
        {
            "reasoning": "r" * 999,
            "extra": 1,
            "facts": {"quote": "a", "value": 3, "polarity": "False", "action": "ASSERT", "subject": None},
            "topic": "Keep",
            "user_emotion": "Joy",
            "character_emotion": {"label": "joy", "valence": "0.5", "arousal": "high"},
            "entities": ["Ann", None, 7, {"name": ["a", "b"]}, {"name": {"x": 1}}],
            "commitments": "",
        }
    )
    assert len(analysis.reasoning) == MAX_REASONING
    assert analysis.facts[0] == FactProposal(quote="a", value="3", polarity=False)
    assert (analysis.topic.action, analysis.user_emotion.label) == ("keep", "joy")
    assert (analysis.character_emotion.valence, analysis.character_emotion.arousal) == (0.5, 0.0)
    assert [entity.name for entity in analysis.entities] == ["Ann", "", "7", "a, b", ""]
    assert FactProposal(quote="bad \ud800 end").quote == "bad ? end"
    assert SummaryText.model_validate("just text").summary == "just text"


@pytest.mark.parametrize("answer", ANSWERS)
@pytest.mark.parametrize("data", [{"answer": 1}, {}, {"reasoning": "only that"}, [], None])
def test_an_answer_to_something_else_is_refused(answer: type[Answer], data: object) -> None:
    with pytest.raises(ValidationError):
        answer.model_validate(data)


KEYS = st.sampled_from(["reasoning", "facts", "topic", "label", "quote", "relation", "kind", "reply", "summary"])
SCALARS = st.none() | st.booleans() | st.floats() | st.text()


@given(st.recursive(SCALARS, lambda part: st.lists(part) | st.dictionaries(KEYS, part), max_leaves=12))
def test_reading_anything_gives_an_answer_or_a_validation_error(data: Any) -> None:
    for answer in ANSWERS:
        try:
            answer.model_validate(data)
        except ValidationError:
            continue
