"""Checks of messages and replies: premises, the persona, earlier lines, tone, and the guard."""
