"""Access to language models: one OpenAI-compatible endpoint, and record and replay of its calls.

Nothing is imported here, so that the package stays cheap to load; ``openai`` is imported at the first call only.
"""
