import asyncio
import os
import re
import tempfile
import threading
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from adsvc.errors import ImageStoreUnavailableError
from adsvc.kit.storage import LocalImageStore, local, new_image_name
from adsvc.services import picture_deletion
from support.scene.api import Api
from support.scene.stores import DAY, FURTHER, NAME, age, content, names
from support.trouble.breaking import full_after, gone


@pytest.fixture
def store(tmp_path: Path) -> LocalImageStore:
    store = LocalImageStore(tmp_path / "images")
    store.prepare()
    return store


def opened(descriptor: int) -> Path:
    return Path(f"/proc/self/fd/{descriptor}").readlink()


async def test_a_picture_is_durable_before_its_name_is_and_both_before_put_returns(
    store: LocalImageStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = []
    fsync, replace = os.fsync, Path.replace

    def note(step: str, path: Path) -> None:
        steps.append(
            (
                step,
                re.sub(r"\.[0-9a-f]{8}\.tmp", ".tmp", path.name),
                path.stat().st_size if path.is_file() else None,
            )
        )

    def noting_fsync(descriptor: int) -> None:
        note("fsync", opened(descriptor))
        fsync(descriptor)

    def noting_replace(source: Path, target: Path) -> Path:
        note("replace", source)
        return replace(source, target)

    monkeypatch.setattr(os, "fsync", noting_fsync)
    monkeypatch.setattr(Path, "replace", noting_replace)
    await store.put_all({NAME: b"picture", FURTHER: b"variant!"})
    assert steps == [
        ("fsync", f".{NAME}.tmp", 7),
        ("fsync", f".{FURTHER}.tmp", 8),
        ("replace", f".{NAME}.tmp", 7),
        ("replace", f".{FURTHER}.tmp", 8),
        ("fsync", NAME[:2], None),
    ]


def failing_after(number: int, act: Callable[..., Any]) -> Callable[..., Any]:
    calls = count()

    def fail(*args: Any) -> object:
        if next(calls) == number:
            raise OSError("broken")
        return act(*args)

    return fail


@pytest.mark.heavy
@pytest.mark.parametrize("failing", ["fsync", "replace", "sync_directories"])
async def test_a_put_that_fails_leaves_nothing(
    store: LocalImageStore, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    """Whichever of the files it is at."""
    owner: dict[str, tuple[object, Callable[..., Any]]] = {
        "fsync": (os, os.fsync),
        "replace": (Path, Path.replace),
        "sync_directories": (local, local.sync_directories),
    }
    for number in range(1 if failing == "sync_directories" else 2):
        known, act = owner[failing]
        with monkeypatch.context() as patch:
            patch.setattr(known, failing, failing_after(number, act))
            with pytest.raises(ImageStoreUnavailableError):
                await store.put_all({NAME: b"picture", FURTHER: b"variant"})
        assert await names(store) == [], number


@pytest.mark.heavy
async def test_a_put_that_is_cancelled_leaves_nothing(
    store: LocalImageStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its thread goes on to the end, and what it wrote is removed then."""
    begun, go_on = threading.Event(), threading.Event()
    fsync = os.fsync

    def slow_fsync(descriptor: int) -> None:
        begun.set()
        assert go_on.wait(10)
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", slow_fsync)
    putting = asyncio.create_task(store.put_all({NAME: b"picture", FURTHER: b"variant"}))
    await asyncio.to_thread(begun.wait)
    putting.cancel()
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await putting
    assert await names(store) == []


async def test_a_disk_that_fills_up_leaves_nothing(store: LocalImageStore) -> None:
    with full_after(1024 * 1024), pytest.raises(ImageStoreUnavailableError):
        await store.put(NAME, bytes(2 * 1024 * 1024))
    assert await names(store) == []


async def test_every_operation_on_a_store_that_is_gone_says_so(
    store: LocalImageStore, tmp_path: Path
) -> None:
    await store.put(NAME, b"picture")
    with gone(tmp_path / "images"):
        for asked in (store.put(NAME, b""), store.open(NAME), store.delete(NAME), store.check()):
            with pytest.raises(ImageStoreUnavailableError):
                await asked
        with pytest.raises(ImageStoreUnavailableError):
            await names(store)
        with pytest.raises(ImageStoreUnavailableError):
            await store.duplicate([(NAME, "1" + NAME)])
        with pytest.raises(ImageStoreUnavailableError, match=str(tmp_path / "images")):
            store.prepare()
    assert await content(store, NAME) == b"picture"


async def test_a_picture_that_shrinks_under_way_is_an_error_not_a_short_answer(
    store: LocalImageStore,
) -> None:
    await store.put(NAME, bytes(300_000))
    image = await store.open(NAME)
    os.truncate(store.path(NAME), 1000)
    with pytest.raises(ImageStoreUnavailableError):
        assert [chunk async for chunk in image.chunks(0, image.size)]


async def test_a_picture_of_several_pieces_is_read_to_its_end_though_deleted(
    store: LocalImageStore,
) -> None:
    data = os.urandom(600_000)
    await store.put(NAME, data)
    image = await store.open(NAME)
    await store.delete(NAME)
    assert b"".join([chunk async for chunk in image.chunks(0, image.size)]) == data


async def test_many_files_are_named_in_batches(
    store: LocalImageStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("adsvc.kit.storage.local.SWEEP_BATCH", 4)
    made = [f"ab{number:030x}.jpg" for number in range(9)]
    for name in made:
        store.path(name).touch()
    batches = [batch async for batch in store.older_than(0)]
    assert [len(batch) for batch in batches] == [4, 4, 1]
    assert sorted(sum(batches[1:], batches[0])) == made


@pytest.mark.heavy
async def test_the_sweep_deletes_old_unreferenced_files_and_nothing_else(api: Api) -> None:
    store = api.state.store
    assert isinstance(store, LocalImageStore)
    ad = await (await api.person()).post_ad()
    named = ad["image"].removeprefix("/images/")
    old, young = new_image_name("jpg"), new_image_name("jpg")
    # What a crash in the middle of a put leaves behind.
    half_written = f".{new_image_name('png')}.tmp"
    for name in (old, young, half_written):
        store.path(name).write_bytes(b"orphan")
    for name in (old, half_written, named):
        age(store, name, DAY + 60)

    async def sweep() -> list[str]:
        async with api.state.database.autocommit() as session:
            return [
                name async for name in picture_deletion.sweep(session, store, grace_seconds=DAY)
            ]

    assert sorted(await sweep()) == sorted([old, half_written])
    assert set(api.pictures()) == {named, young}
    assert await sweep() == []


async def test_a_picture_that_breaks_off_while_it_is_read_is_the_store_s_fault(
    store: LocalImageStore,
) -> None:
    await store.put(NAME, b"picture")
    image = await store.open(NAME)
    with tempfile.TemporaryFile("wb") as unreadable:
        os.dup2(unreadable.fileno(), image._file.fileno())
    with pytest.raises(ImageStoreUnavailableError):
        [chunk async for chunk in image.chunks(0, image.size)]
