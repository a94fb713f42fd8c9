"""Files of a project's memory folder: read, read anew, found by those they are for, and never lost to a bad one."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from harness.adapters.embedders.hashing import HashEmbedder
from harness.adapters.memories.ram import InProcessMemoryStore
from harness.app import Harness
from harness.errors import InputError, ModelError, StoreError
from harness.language import load_packs
from harness.memory import MemoryFiles
from harness.memory.folder import scope_of
from harness.ports import MemoryEntry, MemoryFilter, Vector
from harness.settings import load
from harness.state import TurnRecord
from harness.state.memory import Scope
from harness.testing.scripted_model import ScriptedModel

EVERYTHING = MemoryFilter(everything=True, statuses=())


def write(folder: Path, name: str, text: str | bytes) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "memory"
    made.mkdir()
    return made


@pytest.fixture
def files(folder: Path) -> MemoryFiles:
    return MemoryFiles(folder, InProcessMemoryStore(), load_packs())


async def texts(files: MemoryFiles, scope: Scope | None = None) -> list[str]:
    await files.refresh()
    where = EVERYTHING if scope is None else MemoryFilter(scope=scope)
    return sorted(item.text for item in await files.store.browse(where))


async def test_what_changes_is_read_anew_and_what_goes_is_gone(files: MemoryFiles, folder: Path) -> None:
    path = write(folder, "global.md", "- one\n- 二\n")
    assert await texts(files) == ["one", "二"]
    before = {item.text: item.id for item in await files.store.browse(EVERYTHING)}
    write(folder, "global.md", "\n\n- three\n- 二\n")
    assert await texts(files) == ["three", "二"]
    after = {item.text: item for item in await files.store.browse(EVERYTHING)}
    assert after["二"].id == before["二"]
    assert after["二"].origin == "global.md:4"
    path.unlink()
    assert await texts(files) == []
    write(folder, "global.md", "back\n")
    assert await texts(files) == ["back"]
    (folder / "global.md").unlink()
    await asyncio.to_thread(folder.rmdir)
    assert await texts(files) == []
    assert files.report() == ()


async def test_the_same_line_twice_is_two_items(files: MemoryFiles, folder: Path) -> None:
    write(folder, "global.md", "- same\n- same\n")
    assert await texts(files) == ["same", "same"]
    write(folder, "global.md", "- same\n")
    assert await texts(files) == ["same"]


@pytest.mark.parametrize(
    ("name", "scope"),
    [
        ("global.md", Scope()),
        ("user/nora.md", Scope(user="nora")),
        ("user/小明.md", Scope(user="小明")),
        ("user/a%2Fb.md", Scope(user="a/b")),
        ("user/Zoe\u0308.md", Scope(user="Zoë")),
        ("repo/shop.md", Scope(project="shop")),
        ("repo/org/商店.md", Scope(project="org/商店")),
        ("project/shop.v2.md", Scope(project="shop.v2")),
        ("persona/mia.md", Scope(persona="mia")),
        ("task/t1.md", Scope(task="t1")),
        ("world/云中城.md", Scope(world="云中城")),
    ],
)
def test_a_name_says_whom_it_is_for(name: str, scope: Scope) -> None:
    assert scope_of(Path(name)) == scope


@pytest.mark.parametrize(
    "name",
    [
        "notes.md",
        "users/nora.md",
        "user/..%2Fpaul.md",
        "user/%2E%2E.md",
        "user/ nora.md",
        "user/a%0Ab.md",
        "user/%FF.md",
    ],
)
def test_another_name_is_refused(name: str) -> None:
    with pytest.raises(InputError):
        scope_of(Path(name))


async def test_each_sees_its_own(files: MemoryFiles, folder: Path) -> None:
    for name, text in {
        "global.md": "for all",
        "user/nora.md": "of nora",
        "user/小明.md": "小明的",
        "persona/mia.md": "of mia",
        "repo/shop.md": "of shop",
        "repo/bank.md": "of bank",
        "world/atlantis.md": "of atlantis",
        "README.md": "for people",
    }.items():
        write(folder, name, text)
    assert await texts(files, Scope()) == ["for all"]
    assert await texts(files, Scope(user="nora")) == ["for all", "of nora"]
    assert await texts(files, Scope(user="小明", persona="mia")) == ["for all", "of mia", "小明的"]
    assert await texts(files, Scope(user="nora", project="shop")) == ["for all", "of nora", "of shop"]
    assert await texts(files, Scope(project="bank", world="atlantis")) == ["for all", "of atlantis", "of bank"]
    assert files.warnings(Scope(user="nora")) == ()


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        ("caf\xe9".encode("latin-1"), "not UTF-8"),
        ("你好".encode("gbk"), "not UTF-8"),
        ("text".encode("utf-16"), "not UTF-8"),
        (b"a\0b", "zero byte"),
        (b"- x\n" * 300_000, "larger than"),
        (b"- x\n" * 6_000, "things"),
    ],
)
async def test_a_bad_file_is_told_and_what_it_said_is_kept(
    files: MemoryFiles, folder: Path, bad: bytes, words: str
) -> None:
    write(folder, "user/nora.md", "- She sails.\n")
    write(folder, "global.md", "- 大家都要知道。\n")
    assert await texts(files) == ["She sails.", "大家都要知道。"]
    write(folder, "user/nora.md", bad)
    assert await texts(files) == ["She sails.", "大家都要知道。"]
    (warning,) = files.warnings(Scope(user="nora"))
    assert words in warning
    assert "memory/user/nora.md" in warning
    assert "is kept" in warning
    assert files.warnings(Scope(user="paul")) == ()
    await files.refresh()
    assert files.warnings(Scope(user="nora")) == (warning,)
    write(folder, "user/nora.md", "- She rows.\n")
    assert await texts(files) == ["She rows.", "大家都要知道。"]
    assert files.warnings(Scope(user="nora")) == ()


async def test_links_and_strange_files_are_told(files: MemoryFiles, folder: Path, tmp_path: Path) -> None:
    secret = write(tmp_path, "secret.md", "the password is swordfish")
    write(folder, "user/nora.md", "fine")
    (folder / "user" / "loop.md").symlink_to(folder / "user" / "loop.md")
    (folder / "user" / "away.md").symlink_to(secret)
    (folder / "user" / "nothing.md").symlink_to(folder / "nowhere.md")
    (folder / "user" / "same.md").symlink_to(folder / "user" / "nora.md")
    (folder / "repo").symlink_to(folder)
    os.mkfifo(folder / "user" / "pipe.md")
    assert await texts(files) == ["fine", "fine"]
    problems = {file.name: file.problem for file in files.report() if file.problem}
    assert set(problems) == {"user/loop.md", "user/away.md", "user/nothing.md", "user/pipe.md", "repo/"}
    assert "leads out" in problems["user/away.md"]
    assert "no ordinary file" in problems["user/pipe.md"]


async def test_a_folder_or_file_without_permission_is_told(files: MemoryFiles, folder: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may read everything")
    path = write(folder, "global.md", "- x\n")
    path.chmod(0)
    assert await texts(files) == []
    assert "cannot be read" in files.warnings(Scope())[0]


class Moody(HashEmbedder):
    """An embedder that can fail, and can make vectors of a wrong length."""

    mode = "well"

    async def passages(self, texts: Sequence[str]) -> Sequence[Vector]:
        if self.mode == "down":
            raise ModelError("The embedder is away.")
        made = list(await super().passages(texts))
        return [made[0][:-1], *made[1:]] if self.mode == "short" else made


@pytest.mark.parametrize(
    ("mode", "vectors", "words"), [("down", 0, "away"), ("short", 1, "cannot be compared"), ("well", 2, "")]
)
async def test_an_embedder_that_fails_takes_no_words(folder: Path, mode: str, vectors: int, words: str) -> None:
    embedder = Moody()
    embedder.mode = mode
    files = MemoryFiles(folder, InProcessMemoryStore(), load_packs(), embedder)
    write(folder, "global.md", "- one boat\n- 两条船\n")
    assert await texts(files) == ["one boat", "两条船"]
    assert (await files.store.stats()).vectors == vectors
    assert words in "".join(files.warnings(Scope()))
    assert bool(files.warnings(Scope())) == bool(words)


# --- in a conversation ---------------------------------------------------------------------------------------------


@pytest.fixture(params=["none", "hash"])
async def harness(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Harness]:
    settings = load(
        start=tmp_path,
        environ={},
        overrides={
            "storage.backend": "memory",
            "harness.analysis": "rules",
            "harness.background": "false",
            "memory.embedder": request.param,
        },
    )
    async with Harness(settings, model=ScriptedModel("All right then.")) as made:
        yield made


async def asked(harness: Harness, text: str, *, session: str, **names: Any) -> TurnRecord:
    opened = await harness.open("mia", session=session, **names)
    await opened.say(text)
    return await opened.report()


def known(record: TurnRecord) -> list[str]:
    layers = [layer for layer in record.context.layers if layer.block == "memory"]
    return [item.text for layer in layers for item in layer.items if not item.dropped]


@pytest.mark.parametrize(
    ("line", "question", "other"),
    [
        ("The wifi password hangs behind the stove.", "Where is the wifi password?", "Do you like jazz?"),
        ("无线网密码贴在炉子后面。", "无线网密码在哪里？", "你喜欢爵士乐吗？"),
    ],
)
async def test_a_file_is_found_by_the_question_for_it(
    harness: Harness, folder: Path, line: str, question: str, other: str
) -> None:
    write(folder, "user/小明.md", f"- {line}\n")
    record = await asked(harness, question, session="s1", user="小明")
    assert known(record) == [line]
    assert line in "\n".join(text for _, text in record.calls[0].messages)
    assert known(await asked(harness, other, session="s2", user="小明")) == []
    assert line not in known(await asked(harness, question, session="s3", user="小红"))
    write(folder, "user/小明.md", "- x\n")
    assert line not in known(await asked(harness, question, session="s4", user="小明"))


@pytest.mark.parametrize("line", ["Never name the client.", "不要提客户的名字。"])
async def test_a_pinned_line_is_always_there(harness: Harness, folder: Path, line: str) -> None:
    write(folder, "repo/shop.md", f"- ! {line}\n")
    assert known(await asked(harness, "Do you like jazz?", session="s1", project="shop")) == [line]
    assert known(await asked(harness, "Do you like jazz?", session="s2", project="bank")) == []
    assert known(await asked(harness, "Do you like jazz?", session="s3")) == []


async def test_a_file_is_never_stored_nor_taken_for_the_users_words(harness: Harness, folder: Path) -> None:
    write(folder, "user/nora.md", "- ! She is allergic to mangoes.\n")
    for session in ("s1", "s2", "s3", "s4"):
        await asked(harness, "Can you recommend a dessert?", session=session, user="nora")
    store = harness.memory_store()
    assert store is not None
    stored = await store.browse(EVERYTHING)
    assert stored
    assert not [item for item in stored if "mango" in item.text or item.source == "file"]
    (item,) = [item async for item in harness.memories().all() if item.source == "file"]
    assert item.uses == 4
    for change in (
        lambda: harness.memories().edit(item.id, "x"),
        lambda: harness.memories().pin(item.id),
        lambda: harness.memories().delete([item.id]),
    ):
        with pytest.raises(InputError, match=r"user/nora\.md:1"):
            await change()
    shared = harness._memory.shared()
    assert shared is not None
    with pytest.raises(StoreError, match="stands in a file"):
        await shared.store.put([MemoryEntry(item)])


async def test_what_is_wrong_with_a_file_is_in_the_report(harness: Harness, folder: Path) -> None:
    write(folder, "global.md", b"\xff\xfe")
    write(folder, "user/paul.md", b"\xff")
    record = await asked(harness, "Where is the key?", session="s1", user="nora")
    assert [warning for warning in record.context.warnings if "memory/global.md is not read" in warning]
    assert not [warning for warning in record.context.warnings if "paul" in warning]
