"""Pack section ``keeping``: what is asked to be kept, how a task that was left is put into words, and whose words a question is about."""

from __future__ import annotations

from harness.state.base import Frozen


class KeepingCues(Frozen):
    """Section ``keeping``.

    Attributes:
        remember: patterns with which somebody asks that what they say be remembered ("remember that …", 记住).
        task_goal, task_confirmed, task_ruled_out, task_done, task_todo, task_artifacts: a line of a task that was left, over
            ``{goal}`` and ``{line}``.
        said_by_asker: patterns of a question for what the asker said ("what did I tell you"). ``said_by_asked``: for what the
            one who is asked said ("what did you recommend").
        looking_back: patterns that show a question is about the past, where nothing else says of which of two times it speaks.
        time_only: words of such a question that say nothing of what is looked for ("talk", 聊).
        unrelated: things people say, each of something else: what a message has to do with none of them is measured against, where
            few memories are there to measure by (see :mod:`harness.memory.background`).
        framing: what only asks whether the listener knows, and whom a question is about does not depend on ("do you know").
        asker, asked: patterns of the one who asks and of the one who is asked ("I", "my"; 你).
        possessing: how words right behind a name begin that tell of something else of theirs ("'s", 的).
    """

    remember: tuple[str, ...] = ()
    task_goal: str = "{goal}"
    task_confirmed: str = "{goal}: {line}"
    task_ruled_out: str = "{goal}: -{line}"
    task_done: str = "{goal}: +{line}"
    task_todo: str = "{goal}: ?{line}"
    task_artifacts: str = "{goal}: {line}"
    said_by_asker: tuple[str, ...] = ()
    said_by_asked: tuple[str, ...] = ()
    looking_back: tuple[str, ...] = ()
    time_only: tuple[str, ...] = ()
    unrelated: tuple[str, ...] = ()
    framing: tuple[str, ...] = ()
    asker: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    possessing: tuple[str, ...] = ()
