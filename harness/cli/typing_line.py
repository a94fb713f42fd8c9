"""The line one types in: history, keys, completion of slash commands. The only module that imports prompt_toolkit."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import WordCompleter
from prompt_toolkit.filters import Condition
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.key_binding import KeyBindings

from harness.settings import CHAT_HISTORY, home


def prompt_session(**streams: Any) -> PromptSession[str]:
    """A prompt with the user's history. ``streams``: ``input`` and ``output`` instead of the terminal's."""
    from harness.cli.slash import COMMANDS

    names = [f"/{name}" for name in COMMANDS]
    return PromptSession(
        history=_history(),
        key_bindings=_keys(),
        multiline=True,  # so that pasted text keeps its lines; Enter sends all the same, see _keys
        completer=WordCompleter(names, sentence=True),
        complete_while_typing=Condition(lambda: False),
        **streams,
    )


def _history() -> History:
    folder = home()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / CHAT_HISTORY).touch(mode=0o600)
    except OSError:
        return InMemoryHistory()
    return _Discreet(str(folder / CHAT_HISTORY))


def single_lines(**streams: Any) -> Callable[[str], Awaitable[str]]:
    """Asks for single lines that no history keeps; what is printed meanwhile stands above. ``streams`` as above."""
    from prompt_toolkit.patch_stdout import patch_stdout

    asking: PromptSession[str] = PromptSession(history=InMemoryHistory(), **streams)

    async def ask(prompt: str) -> str:
        with patch_stdout():
            return await asking.prompt_async(prompt)

    return ask


class _Discreet(FileHistory):
    """A history whose file holds no secrets."""

    def store_string(self, string: str) -> None:
        """Write a line down, without keys, cards and the like in it, nor what the settings take out besides."""
        from harness.language import load_packs
        from harness.language.redaction import redactor
        from harness.logs import redact

        super().store_string(redact(redactor(load_packs()).plain(string)))


def _keys() -> KeyBindings:
    keys = KeyBindings()

    @keys.add("enter")
    def _send(event: Any) -> None:
        event.current_buffer.validate_and_handle()

    @keys.add("escape", "enter")
    def _new_line(event: Any) -> None:
        event.current_buffer.insert_text("\n")

    @keys.add("c-c")
    def _interrupt(event: Any) -> None:
        if event.current_buffer.text:
            event.current_buffer.reset()
        else:
            event.app.exit(exception=KeyboardInterrupt)

    return keys
