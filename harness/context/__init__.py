"""What the model sees: blocks within a budget, and a report on them."""

from harness.context.builder import Composed, compose_prompt, system_prompt

__all__ = ["Composed", "compose_prompt", "system_prompt"]
