"""Slash commands of ``harness chat``. A message that begins with ``//`` is sent with one slash."""

from __future__ import annotations

import difflib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.text import Text

from harness.cli import render, render_turn
from harness.cli.screens import Leave
from harness.errors import InputError

if TYPE_CHECKING:
    from harness.cli.conversation import Conversation

Run = Callable[["Conversation", str], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Slash:
    """One command. ``usage`` shows its arguments."""

    usage: str
    help: str
    run: Run


COMMANDS: dict[str, Slash] = {}
"""Name without slash → command."""


def command(usage: str, text: str) -> Callable[[Run], Run]:
    """Register a command under the first word of its usage."""

    def register(run: Run) -> Run:
        COMMANDS[usage.partition(" ")[0].removeprefix("/")] = Slash(usage, text, run)
        return run

    return register


async def run_command(chat: Conversation, line: str) -> None:
    """Run the command of a line.

    Raises:
        InputError: there is no such command.
        HarnessError: what the command met.
    """
    word, *rest = line.split(maxsplit=1)  # at any blank: a Chinese keyboard types a wide one
    name = word.removeprefix("/").casefold()
    found = COMMANDS.get(name)
    if found is None:
        near = difflib.get_close_matches(name, COMMANDS, n=1, cutoff=0.5)
        hint = f"Did you mean /{near[0]}?" if near else "/help lists the commands."
        raise InputError(f"There is no command {word!r}.", remedy=f"{hint} A message that begins with // is sent.")
    await found.run(chat, rest[0].strip() if rest else "")


async def _show_state(chat: Conversation, pick: Callable[..., RenderableType]) -> None:
    chat.screen.show(pick(await chat.session.state()))


@command("/help", "this list")
async def _help(chat: Conversation, argument: str) -> None:
    del argument
    made = render.table("command", "what it does")
    for slash in COMMANDS.values():
        render.row(made, slash.usage, slash.help)
    keys = "Alt-Enter begins a new line. Ctrl-C cancels a reply. A message that begins with // is sent with one slash."
    chat.screen.show(Group(made, Text(keys, style="dim")))


@command("/state", "everything that is true of the conversation")
async def _state(chat: Conversation, argument: str) -> None:
    await _show_state(chat, lambda state: render.state(state, history=argument == "all"))
    if (await chat.session.state()).turn_count:
        chat.screen.show(render_turn.understood(await chat.session.report()))


@command("/facts [all]", "facts in force; all: with replaced ones")
async def _facts(chat: Conversation, argument: str) -> None:
    await _show_state(chat, lambda state: render.facts(state.facts, history=argument == "all"))


@command("/topics", "the topic stack")
async def _topics(chat: Conversation, argument: str) -> None:
    del argument
    await _show_state(chat, lambda state: render.topics(state.topics))


@command("/entities", "who and what was mentioned")
async def _entities(chat: Conversation, argument: str) -> None:
    del argument
    await _show_state(chat, lambda state: render.entities(state.entities))


@command("/promises", "who promised what")
async def _promises(chat: Conversation, argument: str) -> None:
    del argument
    await _show_state(chat, lambda state: render.promises(state.commitments))


@command("/task [set GOAL | done|todo|out|confirmed|made|remove LINE | leave]", "the task at hand, or a change of it")
async def _task(chat: Conversation, argument: str) -> None:
    from harness.cli.task import change_by_words

    chat.screen.show(render.task(await change_by_words(chat.session, argument)))


@command("/observe FILE", "hand over what tools gave: a JSON file with name, arguments and text")
async def _observe(chat: Conversation, argument: str) -> None:
    from harness.cli.artifacts import read_results, table_of

    if not argument or argument == "-":
        raise InputError(
            "/observe takes a JSON file.", remedy='It has {"name": …, "arguments": …, "text": …}, or a list of them.'
        )
    chat.screen.show(table_of(await chat.session.observe(read_results(argument))))


@command("/tools [REF]", "what tools gave; REF: the whole of one result")
async def _tools(chat: Conversation, argument: str) -> None:
    from harness.cli.artifacts import table_of

    if argument:
        chat.screen.show(Text(await chat.session.artifact(argument)))
    else:
        chat.screen.show(table_of(await chat.session.tool_results()))


@command("/diagnose", "which layer is at fault for what went wrong")
async def _diagnose(chat: Conversation, argument: str) -> None:
    from harness.cli.diagnose import lines_of
    from harness.diagnosing import diagnose

    del argument
    await chat.session.settled()
    chat.screen.show(Group(*lines_of(await diagnose(chat.harness, chat.session.id))))


@command("/why", "the checks of the last turn: notices, findings, revisions, refused changes")
async def _why(chat: Conversation, argument: str) -> None:
    del argument
    chat.screen.show(render_turn.why(await chat.session.report()))


@command("/context [full]", "what the model saw in the last turn; full: the exact messages")
async def _context(chat: Conversation, argument: str) -> None:
    record = await chat.session.report()
    chat.screen.show(render_turn.context(record.context))
    if argument == "full":
        chat.screen.show(render_turn.calls(record))
    elif argument:
        raise InputError(f"/context takes nothing or full, not {argument!r}.")


@command("/undo [N]", "go back one turn, or N; a note or a task change by hand counts as one")
async def _undo(chat: Conversation, argument: str) -> None:
    if argument and not (argument.isascii() and argument.isdigit()):
        raise InputError(f"/undo takes a number of turns, not {argument!r}.")
    state = await chat.session.undo(int(argument or 1))
    chat.screen.status(f"Back at turn {state.turn_count}. What was undone stays in the /timeline; /goto returns to it.")


@command("/retry", "have the last message answered again")
async def _retry(chat: Conversation, argument: str) -> None:
    del argument
    await chat.follow(chat.session.stream_retry())


@command("/edit TEXT", "say TEXT instead of your last message")
async def _edit(chat: Conversation, argument: str) -> None:
    if not argument:
        raise InputError("/edit takes the new text of your last message.")
    await chat.follow(chat.session.stream_edit(argument))


@command("/fork [ID]", "copy the conversation into a new session and go on there")
async def _fork(chat: Conversation, argument: str) -> None:
    old = chat.session.id
    new = await chat.session.fork(argument)
    await chat.switch(new)
    chat.screen.status(f"This is session {new!r} now, a copy of {old!r}.")


@command("/save [FILE]", "write the conversation to FILE (.md or .json)")
async def _save(chat: Conversation, argument: str) -> None:
    from harness.cli.transcript import default_name, write_transcript

    records = await chat.session.branch()
    name = argument or default_name(chat.session.id, len(records))
    path = write_transcript(name, chat.session, records, await chat.session.state())
    chat.screen.status(f"Saved to {path}.")


@command("/goto ID", "make any turn of the timeline the current one (its id, or its number on this branch)")
async def _goto(chat: Conversation, argument: str) -> None:
    if not argument:
        raise InputError("/goto takes the id of a turn.", remedy="/timeline lists them.")
    target = argument
    if argument.isascii() and argument.isdigit() and len(argument) < 6:
        target = (await chat.session.report(int(argument))).id
    state = await chat.session.goto(target)
    chat.screen.status(f"At turn {state.turn_count}.")


@command("/timeline", "every turn, those of other branches too")
async def _timeline(chat: Conversation, argument: str) -> None:
    del argument
    chat.screen.show(render.timeline(await chat.session.timeline()))


@command("/pin FACT", "always show a fact to the model (its id, or words of it)")
async def _pin(chat: Conversation, argument: str) -> None:
    from harness.cli.choosing import change_fact, pin

    fact = await change_fact(chat.session, argument, lambda fact, _: pin(fact, pinned=True))
    chat.screen.status(f"Pinned [{fact.id}] {fact.value}.")


@command("/unpin FACT", "take the pin off")
async def _unpin(chat: Conversation, argument: str) -> None:
    from harness.cli.choosing import change_fact, pin

    fact = await change_fact(chat.session, argument, lambda fact, _: pin(fact, pinned=False))
    chat.screen.status(f"No longer pinned: [{fact.id}] {fact.value}.")


@command("/forget FACT", "take a fact back (its id, or words of it)")
async def _forget(chat: Conversation, argument: str) -> None:
    from harness.cli.choosing import change_fact, retract

    fact = await change_fact(chat.session, argument, retract)
    chat.screen.status(f"Forgotten: [{fact.id}] {fact.value}.")


@command("/revise FACT = VALUE", "put another value in a fact's place; the old one stays as history")
async def _revise(chat: Conversation, argument: str) -> None:
    from harness.cli.choosing import change_fact, parted, revise

    wanted, value = parted(argument, "/revise FACT = VALUE")
    fact = await change_fact(chat.session, wanted, lambda fact, state: revise(fact, state, value))
    chat.screen.status(f"Replaced [{fact.id}] {fact.value} by {value}.")


@command("/note [ABOUT:] ATTRIBUTE = VALUE", "state a fact yourself, about you or ABOUT somebody")
async def _note(chat: Conversation, argument: str) -> None:
    from harness.cli.choosing import about_and_attribute, add_fact, parted

    words, value = parted(argument, "/note [ABOUT:] ATTRIBUTE = VALUE")
    made = await add_fact(chat.session, *about_and_attribute(words), value)
    chat.screen.status(f"Noted: {made.subject} {made.attribute}: {'' if made.polarity else 'not '}{made.value}.")


@command("/same NAME = OTHER", "OTHER is NAME: their facts become those of one person")
async def _same(chat: Conversation, argument: str) -> None:
    from harness.cli.choosing import merge_subjects, parted

    made = await merge_subjects(chat.session, *parted(argument, "/same NAME = OTHER"))
    chat.screen.status(f"Facts about {made.merged} are facts about {made.subject} now.")


@command("/persona", "who the character is")
async def _persona(chat: Conversation, argument: str) -> None:
    from harness.cli.render_persona import persona

    del argument
    chat.screen.show(persona(chat.session.persona))


@command("/quit", "leave; the conversation is kept")
async def _quit(chat: Conversation, argument: str) -> None:
    del chat, argument
    raise Leave
