"""Pulling from a hub: a real HTTP server on loopback that can cut, refuse and lie."""

from __future__ import annotations

import hashlib
import http.server
import os
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from harness.adapters.local import CatalogueEntry, HubSource, OnProgress, Progress, hub, list_models, pull, remove
from harness.adapters.local.cache import is_present, lock_path, locked, read_marker
from harness.errors import ChecksumMismatch, DownloadFailed, LocalModelError, SettingsError

BODY = b"GGUF" + bytes(range(256)) * 12_000
SHA = hashlib.sha256(BODY).hexdigest()


@dataclass
class Hub:
    body: bytes = BODY
    etag: str = '"one"'
    status: int = 0
    cut_after: int = 0
    """Close the connection after this many bytes, once per request while ``cuts`` lasts."""
    cuts: int = 0
    ranges: bool = True
    content_type: str = "application/octet-stream"
    url: str = ""
    asked: list[str] = field(default_factory=list)


class Handler(http.server.BaseHTTPRequestHandler):
    hub: Hub

    def do_HEAD(self) -> None:
        self.send_response(200)
        self.end_headers()

    def do_GET(self) -> None:
        state, wanted = self.hub, self.headers.get("Range")
        state.asked.append(wanted or "all")
        if state.status:
            self.send_error(state.status)
            return
        start = 0
        if wanted and state.ranges and self.headers.get("If-Range") == state.etag:
            start = int(wanted.removeprefix("bytes=").removesuffix("-"))
        if start >= len(state.body):
            self.send_error(416)
            return
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(state.body) - 1}/{len(state.body)}")
        self.send_header("Content-Length", str(len(state.body) - start))
        self.send_header("Content-Type", state.content_type)
        self.send_header("ETag", state.etag)
        self.end_headers()
        data = state.body[start:]
        if state.cuts:
            state.cuts -= 1
            data = data[: state.cut_after]
        self.wfile.write(data)
        self.close_connection = True

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    monkeypatch.setattr(hub, "PAUSE_S", 0)
    monkeypatch.setattr(hub, "CHUNK", 1 << 16)
    state = Hub()
    handler = type("Bound", (Handler,), {"hub": state})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as web:
        state.url = f"http://127.0.0.1:{web.server_address[1]}/m.gguf"
        thread = threading.Thread(target=web.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield state
        web.shutdown()
        thread.join()


def entry(*urls: str, size: int | None = len(BODY), sha256: str | None = SHA) -> CatalogueEntry:
    sources = tuple(HubSource(kind="hub", url=url) for url in urls)
    return CatalogueEntry(name="m", size=size, sha256=sha256, sources=sources)


class Stopped(Exception):
    pass


def stop_at(share: float) -> OnProgress:
    def progress(now: Progress) -> None:
        if now.phase == "downloading" and now.done >= share * len(BODY):
            raise Stopped

    return progress


def test_a_pull_lands_whole_with_its_marker(server: Hub, tmp_path: Path) -> None:
    seen: list[Progress] = []
    path = pull(entry(server.url), cache_dir=tmp_path / "deep" / "models", progress=seen.append)
    assert path.read_bytes() == BODY
    marker = read_marker(path)
    assert marker is not None
    assert marker.sha256 == SHA
    assert [now.done for now in seen] == sorted(now.done for now in seen)
    assert seen[-1] == Progress(server.url, len(BODY), len(BODY), "done")
    assert not list(path.parent.glob("*.part*"))


def test_a_second_pull_neither_asks_nor_reads(server: Hub, tmp_path: Path) -> None:
    path = pull(entry(server.url), cache_dir=tmp_path)
    before = path.stat()
    path.write_bytes(bytes(len(BODY)))  # only reading it could tell
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert pull(entry(server.url), cache_dir=tmp_path, progress=lambda now: pytest.fail(str(now))) == path
    assert server.asked == ["all"]


def test_a_cut_connection_is_resumed_in_the_same_pull(server: Hub, tmp_path: Path) -> None:
    server.cut_after, server.cuts = 1_000_000, 2
    assert pull(entry(server.url), cache_dir=tmp_path).read_bytes() == BODY
    assert server.asked == ["all", "bytes=1000000-", "bytes=2000000-"]


def test_an_interrupted_pull_is_resumed_by_the_next(server: Hub, tmp_path: Path) -> None:
    with pytest.raises(Stopped):
        pull(entry(server.url), cache_dir=tmp_path, progress=stop_at(0.5))
    (row,) = list_models(tmp_path)
    assert (row.name, row.complete) == ("m", False)
    assert row.size >= len(BODY) // 2
    seen: list[Progress] = []
    assert pull(entry(server.url), cache_dir=tmp_path, progress=seen.append).read_bytes() == BODY
    assert server.asked[1].startswith("bytes=")
    assert seen[0].phase == "resuming"


def test_a_file_that_changed_on_the_hub_is_fetched_anew(server: Hub, tmp_path: Path) -> None:
    with pytest.raises(Stopped):
        pull(entry(server.url, sha256=None, size=None), cache_dir=tmp_path, progress=stop_at(0.3))
    server.body, server.etag = b"GGUF" + b"new" * 1000, '"two"'
    assert pull(entry(server.url, sha256=None, size=None), cache_dir=tmp_path).read_bytes() == server.body


def test_a_hub_without_ranges_starts_again(server: Hub, tmp_path: Path) -> None:
    server.ranges, server.cut_after, server.cuts = False, 1_000_000, 1
    assert pull(entry(server.url), cache_dir=tmp_path).read_bytes() == BODY


def test_wrong_bytes_are_deleted_and_told(server: Hub, tmp_path: Path) -> None:
    server.body = BODY[:-1] + b"!"
    with pytest.raises(ChecksumMismatch, match=SHA) as caught:
        pull(entry(server.url), cache_dir=tmp_path)
    assert caught.value.details["found"] == hashlib.sha256(server.body).hexdigest()
    assert list_models(tmp_path) == ()
    server.body = BODY
    assert pull(entry(server.url), cache_dir=tmp_path).read_bytes() == BODY


def test_the_next_source_is_tried_and_all_reasons_are_told(server: Hub, tmp_path: Path) -> None:
    missing = server.url.replace("http://127.0.0.1", "http://localhost")
    server.status = 404
    with pytest.raises(DownloadFailed, match="HTTP 404") as caught:
        pull(entry(missing, server.url), cache_dir=tmp_path)
    reason = "HTTP 404 Not Found"
    expected = [{"source": missing, "reason": reason}, {"source": server.url, "reason": reason}]
    assert caught.value.details["attempts"] == expected
    assert len(server.asked) == 2


def test_wrong_bytes_from_the_first_source_do_not_stop_the_second(server: Hub, tmp_path: Path) -> None:
    def mend(now: Progress) -> None:
        if now.done == len(BODY):
            server.body = BODY

    server.body = b"GGUF" + bytes(len(BODY) - 4)
    other = server.url + "?second"
    assert pull(entry(server.url, other), cache_dir=tmp_path, progress=mend).read_bytes() == BODY
    marker = read_marker(tmp_path / "m.gguf")
    assert marker is not None
    assert marker.source == other


def test_a_failing_server_is_given_up_after_some_tries(server: Hub, tmp_path: Path) -> None:
    server.status = 500
    with pytest.raises(DownloadFailed, match="HTTP 500"):
        pull(entry(server.url), cache_dir=tmp_path)
    assert len(server.asked) == hub.RETRIES


def test_nobody_there_is_found_out_at_once(tmp_path: Path) -> None:
    with pytest.raises(DownloadFailed, match=r"127\.0\.0\.1:9 does not answer"):
        pull(entry("http://127.0.0.1:9/m.gguf"), cache_dir=tmp_path)


@pytest.mark.parametrize(("kind", "body"), [("text/html; charset=utf-8", b"<html>log in"), ("a/b", b"<html>log in")])
def test_a_login_page_is_not_a_model(server: Hub, tmp_path: Path, kind: str, body: bytes) -> None:
    server.content_type, server.body = kind, body
    with pytest.raises(DownloadFailed, match=r"web page|not a GGUF file"):
        pull(entry(server.url, size=None, sha256=None), cache_dir=tmp_path)
    assert list_models(tmp_path) == ()


def test_a_file_of_another_size_is_not_even_fetched(server: Hub, tmp_path: Path) -> None:
    with pytest.raises(DownloadFailed, match=f"has {len(BODY)} bytes, expected 5"):
        pull(entry(server.url, size=5), cache_dir=tmp_path)


def test_a_model_without_a_hash_is_trusted_once_with_a_warning_and_then_held_to_it(server: Hub, tmp_path: Path) -> None:
    unknown = entry(server.url, size=None, sha256=None)
    with capture_logs() as logs:
        path = pull(unknown, cache_dir=tmp_path)
    assert SHA in str(logs)
    path.write_bytes(BODY[:-1] + b"?")
    assert not is_present(path, None)
    assert pull(unknown, cache_dir=tmp_path).read_bytes() == BODY


def test_a_file_copied_into_the_cache_is_checked_and_kept(server: Hub, tmp_path: Path) -> None:
    (tmp_path / "m.gguf").write_bytes(BODY)
    seen: list[Progress] = []
    pull(entry(server.url), cache_dir=tmp_path, progress=seen.append)
    assert server.asked == []
    assert {now.phase for now in seen} == {"checking"}
    assert is_present(tmp_path / "m.gguf", SHA)


def test_a_full_disk_is_told_before_anything_is_fetched(server: Hub, tmp_path: Path) -> None:
    with pytest.raises(DownloadFailed, match=r"GB are needed .* GB are free") as caught:
        pull(entry(server.url, size=10**18), cache_dir=tmp_path)
    assert caught.value.details["needed"] == 10**18
    assert server.asked == []


def test_a_disk_that_fills_up_is_told(server: Hub, tmp_path: Path) -> None:
    def progress(now: Progress) -> None:
        raise OSError(28, "No space left on device")

    with pytest.raises(DownloadFailed, match="No space left") as caught:
        pull(entry(server.url), cache_dir=tmp_path, progress=progress)
    assert "Free some space" in str(caught.value)


def test_two_pulls_at_once_fetch_once(server: Hub, tmp_path: Path) -> None:
    paths, phases = [], set()

    def run() -> None:
        paths.append(pull(entry(server.url), cache_dir=tmp_path, progress=lambda now: phases.add(now.phase)))

    threads = [threading.Thread(target=run) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(paths) == 3
    assert server.asked == ["all"]
    assert "waiting" in phases


def test_remove_frees_the_file_its_marker_and_its_parts(server: Hub, tmp_path: Path) -> None:
    pull(entry(server.url), cache_dir=tmp_path)
    (tmp_path / "m.gguf.12345678.part").write_bytes(b"abc")
    assert remove("m", tmp_path) > len(BODY)
    assert [path.name for path in tmp_path.iterdir()] == ["m.gguf.lock"]
    assert remove("m", tmp_path) == 0
    assert remove("m", tmp_path / "absent") == 0


def test_remove_keeps_away_from_a_running_pull_and_from_other_folders(tmp_path: Path) -> None:
    with locked(lock_path(tmp_path / "m.gguf")), pytest.raises(LocalModelError, match="being downloaded"):
        remove("m", tmp_path)
    with pytest.raises(SettingsError, match="model name"):
        remove("../m", tmp_path)


def test_reachable_means_that_something_answers(server: Hub) -> None:
    assert hub.reachable(HubSource(kind="hub", url=server.url))
    assert not hub.reachable(HubSource(kind="hub", url="http://127.0.0.1:9/m.gguf"))
