"""The typed state of a dialogue, its operations, and the fold that applies them."""

from harness.state.apply import apply, fold
from harness.state.base import Frozen
from harness.state.commitments import Commitment, CommitmentStatus
from harness.state.dialogue import SCHEMA_VERSION, DialogueState, Message, Note, Summary
from harness.state.emotion import Emotion
from harness.state.entities import Entity
from harness.state.facts import CHARACTER, USER, Fact, FactStatus
from harness.state.operations import OPERATION, Operation
from harness.state.persona import ExampleLine, Persona, PersonaFact, PersonaRef
from harness.state.record import (
    Applied,
    Candidate,
    ContextConflict,
    ContextReport,
    ContextWarning,
    Event,
    Finding,
    LayerReport,
    ModelCall,
    Notice,
    Rejected,
    Retrieved,
    SessionInfo,
    Timing,
    TurnRecord,
    Usage,
)
from harness.state.task import TaskState
from harness.state.tools import ToolResult
from harness.state.topics import Topic, TopicStack

__all__ = [
    "CHARACTER",
    "OPERATION",
    "SCHEMA_VERSION",
    "USER",
    "Applied",
    "Candidate",
    "Commitment",
    "CommitmentStatus",
    "ContextConflict",
    "ContextReport",
    "ContextWarning",
    "DialogueState",
    "Emotion",
    "Entity",
    "Event",
    "ExampleLine",
    "Fact",
    "FactStatus",
    "Finding",
    "Frozen",
    "LayerReport",
    "Message",
    "ModelCall",
    "Note",
    "Notice",
    "Operation",
    "Persona",
    "PersonaFact",
    "PersonaRef",
    "Rejected",
    "Retrieved",
    "SessionInfo",
    "Summary",
    "TaskState",
    "Timing",
    "ToolResult",
    "Topic",
    "TopicStack",
    "TurnRecord",
    "Usage",
    "apply",
    "fold",
]
