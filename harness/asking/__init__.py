"""How steps ask a model: a plain call, a streamed one, and a question with a structured answer.

Every call, answered or failed or broken off, is reported once to ``on_call`` as the
:class:`~harness.state.record.ModelCall` that goes into the turn record.
"""

from harness.asking.calls import OnCall, call, ignore, stream
from harness.asking.reading import read
from harness.asking.structured import HINTS, Asked, Hints, ask

__all__ = ["HINTS", "Asked", "Hints", "OnCall", "ask", "call", "ignore", "read", "stream"]
