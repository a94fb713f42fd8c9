"""The turn: its phases, its machine, its steps."""

from harness.turn.events import Done, Failed, Revised, StreamEvent, Token
from harness.turn.machine import MACHINE, TABLE, Phase, Row, TurnMachine, run_turn
from harness.turn.turn import Step, Turn

__all__ = [
    "MACHINE",
    "TABLE",
    "Done",
    "Failed",
    "Phase",
    "Revised",
    "Row",
    "Step",
    "StreamEvent",
    "Token",
    "Turn",
    "TurnMachine",
    "run_turn",
]
