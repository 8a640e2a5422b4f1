"""What is particular to a bucket: its errors, and other objects in it."""

import _thread
import asyncio
import logging
import threading
import time
from collections.abc import Awaitable
from datetime import timedelta

import pytest

from adsvc.errors import (
    ConfigurationError,
    ImageStoreUnavailableError,
    OverloadedError,
    PictureMissingError,
)
from adsvc.kit.storage import ImageStore, new_image_name, open_store
from adsvc.kit.storage.s3 import await_last_calls
from adsvc.settings import Settings, load_settings
from support.s3.light import LightS3, Object, Trouble
from support.s3.server import BUCKET, S3Server, free_port
from support.scene.stores import FURTHER, NAME, content, names

S3 = tuple[S3Server, LightS3]
# Of a store that hangs, so that tests need not wait long.
SECONDS = 2


def store_of(server: S3Server, prefix: str, **changes: object) -> ImageStore:
    settings = {**server.settings(prefix), "s3_timeout_seconds": SECONDS, **changes}
    return open_store(Settings(**settings))


@pytest.fixture
def store(s3: S3, prefix: str) -> ImageStore:
    return store_of(s3[0], prefix)


async def unavailable(seen_methods: Awaitable[object]) -> None:
    with pytest.raises(ImageStoreUnavailableError):
        await seen_methods


async def ask_everything(store: ImageStore) -> None:
    """At once, or a bucket that hangs would be waited for as many times."""
    async with asyncio.timeout(20):
        await asyncio.gather(
            *(
                unavailable(seen_methods)
                for seen_methods in (
                    store.put(FURTHER, b"variant"),
                    store.open(NAME),
                    store.require(NAME),
                    store.delete(NAME),
                    store.duplicate([(NAME, FURTHER)]),
                    names(store),
                    store.owner(),
                    store.claim("owner"),
                    store.claim("heir", instead_of="owner"),
                    store.is_empty(),
                    store.present([NAME, FURTHER]),
                    store.check(),
                )
            )
        )
        assert await store.delete_all([NAME]) == []


@pytest.mark.long
@pytest.mark.heavy
@pytest.mark.parametrize("trouble", [Trouble.FORBIDDEN, Trouble.FULL, Trouble.HANGING])
async def test_every_operation_on_a_failing_bucket_is_unavailable(
    s3: S3, store: ImageStore, trouble: Trouble
) -> None:
    await store.put(NAME, b"picture")
    s3[1].trouble = trouble
    await ask_everything(store)
    s3[1].trouble = None
    assert await content(store, NAME) == b"picture"


@pytest.mark.heavy
async def test_a_bucket_that_cannot_be_reached_or_is_not_there_is_unavailable(
    s3: S3, prefix: str, caplog: pytest.LogCaptureFixture
) -> None:
    """And is not a bucket without pictures."""
    await ask_everything(store_of(S3Server(f"http://127.0.0.1:{free_port()}"), prefix))
    s3[1].buckets.clear()
    with caplog.at_level(logging.WARNING, "adsvc.images"):
        await ask_everything(store_of(s3[0], prefix))
    assert "NoSuchBucket" in caplog.text


@pytest.mark.heavy
async def test_what_passes_is_tried_again(s3: S3, store: ImageStore) -> None:
    await store.put(NAME, b"picture")
    s3[1].trouble, s3[1].passing = Trouble.BROKEN, 1
    assert await content(store, NAME) == b"picture"
    s3[1].trouble, s3[1].passing = Trouble.BROKEN, 1
    await store.put(FURTHER, b"variant")
    assert await content(store, FURTHER) == b"variant"


@pytest.mark.heavy
@pytest.mark.parametrize("trouble", [Trouble.FULL, Trouble.FORBIDDEN, Trouble.HANGING])
async def test_pictures_that_are_put_together_are_stored_together_or_not_at_all(
    s3: S3, store: ImageStore, trouble: Trouble
) -> None:
    s3[1].trouble, s3[1].troubled, s3[1].spared = trouble, frozenset({"PUT"}), 1
    await unavailable(store.put_all({NAME: b"picture", FURTHER: b"variant"}))
    assert s3[1].buckets[BUCKET] == {}


async def test_a_put_that_is_cancelled_leaves_nothing(s3: S3, store: ImageStore) -> None:
    s3[1].trouble, s3[1].troubled = Trouble.HANGING, frozenset({"PUT"})
    putting = asyncio.create_task(store.put_all({NAME: b"picture", FURTHER: b"variant"}))
    async with asyncio.timeout(10):
        while s3[1].seen_methods.count("PUT") < 2:  # noqa: ASYNC110 - the server has a loop of its own
            await asyncio.sleep(0.005)
    putting.cancel()
    s3[1].trouble = None
    with pytest.raises(asyncio.CancelledError):
        await putting
    assert s3[1].buckets[BUCKET] == {}


async def test_what_cannot_be_deleted_holds_nothing_up(
    s3: S3, store: ImageStore, prefix: str
) -> None:
    await store.put_all({NAME: b"picture", FURTHER: b"variant"})
    s3[1].held.add(f"{prefix}/{NAME}")
    assert await store.delete_all([NAME, FURTHER]) == [FURTHER]
    assert await names(store) == [NAME]


@pytest.mark.heavy
async def test_nothing_is_listed_or_swept_that_is_not_a_picture_of_the_prefix(
    s3: S3, store: ImageStore, prefix: str
) -> None:
    bucket = s3[1].buckets[BUCKET]
    await store_of(s3[0], f"{prefix}-other").put(NAME, b"of another site")
    await store_of(s3[0], f"{prefix}/below").put(NAME, b"of another site")
    await store_of(s3[0], "").put(new_image_name("png"), b"of another site")
    bucket[f"{prefix}/robots.txt"] = next(iter(bucket.values()))
    bucket[prefix] = next(iter(bucket.values()))
    assert await names(store) == []
    assert await store.is_empty()
    await store.put(FURTHER, b"variant")
    assert await names(store) == [FURTHER]
    # The whole bucket as a store has what is in no prefix.
    assert len(await names(store_of(s3[0], ""))) == 1


@pytest.mark.heavy
async def test_a_long_listing_comes_in_pages(s3: S3, store: ImageStore, prefix: str) -> None:
    await store.put(NAME, b"picture")
    [there] = s3[1].buckets[BUCKET].values()
    made = [f"{number:032x}.jpg" for number in range(2500)]
    s3[1].buckets[BUCKET] = {f"{prefix}/{name}": Object(b"", {}, there.written) for name in made}
    batches = [batch async for batch in store.older_than(0)]
    assert [len(batch) for batch in batches] == [1000, 1000, 500]
    assert [name for batch in batches for name in batch] == made


@pytest.mark.parametrize("hours", [-24, 24])
async def test_the_age_of_a_picture_is_counted_by_the_clock_of_the_bucket(
    s3: S3, prefix: str, store: ImageStore, hours: int
) -> None:
    s3[1].ahead = timedelta(hours=hours)
    await store.put(NAME, b"young")
    await store.put(FURTHER, b"old")
    s3[1].age(f"{prefix}/{FURTHER}", 7200)
    assert [name async for batch in store.older_than(3600) for name in batch] == [FURTHER]
    # What it takes to find out leaves nothing behind.
    assert sorted(await names(store)) == sorted([NAME, FURTHER])


async def test_a_picture_that_is_gone_before_its_end_is_an_error_not_a_short_answer(
    store: ImageStore,
) -> None:
    await store.put(NAME, bytes(1_400_000))
    image = await store.open(NAME)
    await store.delete(NAME)
    with pytest.raises(ImageStoreUnavailableError):
        assert [chunk async for chunk in image.chunks(0, image.size)]
    with pytest.raises(PictureMissingError):
        await store.open(NAME)


async def test_objects_in_the_bucket_have_their_content_type(
    s3: S3, store: ImageStore, prefix: str
) -> None:
    await store.put_all({NAME: b"picture", FURTHER: b"variant"})
    for name, kind in ((NAME, "image/jpeg"), (FURTHER, "image/webp")):
        told = s3[1].buckets[BUCKET][f"{prefix}/{name}"].headers
        assert told["content-type"] == kind
        assert told["cache-control"] == "public, max-age=31536000, immutable"


@pytest.mark.heavy
async def test_pictures_from_a_bucket_that_hangs_take_a_bounded_part_of_the_process(
    s3: S3, prefix: str
) -> None:
    """Anybody may ask for them."""
    store = store_of(s3[0], prefix, busy_requests=8)
    await store.put(NAME, b"picture")
    s3[1].trouble = Trouble.HANGING
    before = len(s3[1].seen_methods)
    faults = await asyncio.gather(*(store.open(NAME) for _ in range(8)), return_exceptions=True)
    kinds = [type(fault) for fault in faults]
    # Two are at work; two wait for their turn, and the others are refused at once.
    assert kinds.count(OverloadedError) == 6
    assert kinds.count(ImageStoreUnavailableError) == 2
    # One attempt may take half of the time, so there may be two.
    assert len(s3[1].seen_methods) - before <= 2 * 2
    s3[1].trouble = None
    assert await content(store, NAME) == b"picture"


@pytest.mark.heavy
def test_addresses_of_stores_are_validated_at_the_start() -> None:
    for address in ("local", "s3://bucket", "s3://my.bucket-1/ads", "s3://bucket/a/b_c/"):
        assert load_settings(image_store=address).image_store == address
    for address in (
        *("s3:/bucket", "s3://", "s3://B", "s3://bucket//ads", "s3://bucket/../ads"),
        *("s3://bucket/a?b", "s3://bucket/a b", "gs://bucket", "/srv/pictures", "s3://bucket/./a"),
    ):
        with pytest.raises(ConfigurationError, match="ADSVC_IMAGE_STORE"):
            load_settings(image_store=address)
    for address in ("s3.example.com", "ftp://s3.example.com", "https://s3.example.com/bucket"):
        with pytest.raises(ConfigurationError, match="ADSVC_S3_ENDPOINT"):
            load_settings(s3_endpoint=address)


def test_without_its_extra_a_bucket_is_refused_by_name(
    s3: S3, prefix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    for name in [name for name in sys.modules if name.startswith("adsvc.kit.storage.s3")]:
        monkeypatch.delitem(sys.modules, name)
    # As if it were not installed.
    monkeypatch.setitem(sys.modules, "obstore", None)
    with pytest.raises(ConfigurationError, match=r"pip install '\.\[s3\]'"):
        store_of(s3[0], prefix)


@pytest.mark.heavy
def test_the_end_of_the_process_waits_for_threads_of_the_library(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Like theirs, this thread is not known to `threading`."""
    # Processes of pytest-xdist have a thread of that kind, which does not end.
    monkeypatch.setattr("adsvc.kit.storage.s3.LAST_CALL_SECONDS", 0.3)
    begun, returned = threading.Event(), threading.Event()

    def last_call() -> None:
        begun.set()
        time.sleep(0.05)
        returned.set()

    _thread.start_new_thread(last_call, ())
    assert begun.wait(10)
    await_last_calls()
    assert returned.is_set()
