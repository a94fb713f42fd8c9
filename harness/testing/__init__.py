"""What tests of your own code need: scripted models and servers, and conformance suites for the ports."""

from harness.testing.scripted_model import ScriptedModel, echo
from harness.testing.scripted_server import Answer, ScriptedServer, ServerThread

__all__ = ["Answer", "ScriptedModel", "ScriptedServer", "ServerThread", "echo"]
