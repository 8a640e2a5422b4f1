"""What the processes that decode pictures hold, and what they can do."""

import ctypes
import json
import math
import os
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from io import BytesIO
from pathlib import Path

import pytest

from adsvc.errors import InvalidImageError, UnsupportedImageError
from adsvc.kit.bulkheads.pools import ProcessPool, WorkFailedError
from adsvc.kit.pictures.containers import Durations, Picture
from adsvc.kit.pictures.normalise import normalise
from adsvc.kit.pictures.sandbox import confine, normalise_confined, parse_normalised
from adsvc.kit.process import offload
from adsvc.kit.process.child import serve
from adsvc.kit.process.offload import ChildPool, ChildProcess, ProcessFailedError
from adsvc.settings import Settings
from support.pictures import samples as pictures
from support.pictures.harmless import HARMLESS

pytestmark = pytest.mark.heavy

MEMORY = 1024 * 1024 * 1024
PIXELS = 40_000_000
PR_GET_DUMPABLE = 3


def confine_here(content: bytes, memory: int, parent: int) -> bytes:
    """As `confine`; with it this module is loaded, as nothing can be later."""
    return confine(content, memory, parent)


def told(_: bytes) -> bytes:
    """What a decoder that was taken over could find out and do."""
    found: dict[str, object] = {
        "environment": sorted(os.environ),
        "dumpable": ctypes.CDLL(None).prctl(PR_GET_DUMPABLE, 0, 0, 0, 0),
        "arguments": sys.argv,
    }
    attempts: dict[str, Callable[[], object]] = {
        "open": lambda: Path("/etc/hostname").open(),  # noqa: SIM115 - it must fail
        "connect": lambda: socket.socket(socket.AF_UNIX),
        "pipe": os.pipe,
        "parent": lambda: next(Path(f"/proc/{os.getppid()}").iterdir()),
        "descriptors": lambda: [os.fstat(number) for number in range(3, 256)],
    }
    for name, attempt in attempts.items():
        try:
            attempt()
            found[name] = "done"
        except OSError as error:
            found[name] = error.errno
    return json.dumps(found).encode()


def descriptors(_: bytes) -> bytes:
    return json.dumps(sorted(int(held.name) for held in Path("/proc/self/fd").iterdir())).encode()


@asynccontextmanager
async def worker(*, confined: bool = True) -> AsyncIterator[ChildProcess]:
    prepare = (confine_here, (MEMORY, os.getpid())) if confined else None
    started = await ChildProcess.start(prepare)
    try:
        yield started
    finally:
        await started.end()


async def test_a_process_for_pictures_holds_no_secret_and_can_open_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("ADSVC_JWT_SECRET", "ADSVC_DATABASE_URL", "PGPASSWORD", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "hush")
    with socket.socket() as inheritable:
        inheritable.set_inheritable(True)
        async with worker() as process:
            found = json.loads(await process.call(told, ()))
            bare = await ChildProcess.start(None)
            held = json.loads(await bare.call(descriptors, ()))
            await bare.end()
    # Python's own, which it sets where there is no locale.
    assert set(found["environment"]) <= {"LC_CTYPE"}
    too_many, closed = 24, 9
    assert {name: found[name] for name in ("open", "connect", "pipe", "parent")} == dict.fromkeys(
        ("open", "connect", "pipe", "parent"), too_many
    )
    assert found["descriptors"] == closed
    assert found["dumpable"] == 0
    # The fourth is that of the listing.
    assert held == [0, 1, 2, 3]


async def test_what_confined_processes_make_is_what_is_made_anywhere(tmp_path: Path) -> None:
    """Nothing has to be loaded any more when the first picture of its kind comes."""
    samples = [
        pictures.jpeg(), pictures.phone_photo(), *(make() for make in HARMLESS.values()),
    ]  # fmt: skip
    async with worker() as process:
        for number, sample in enumerate(samples):
            (tmp_path / "sample").write_bytes(sample)
            for variants in (True, False):
                expected = normalise(sample, max_pixels=PIXELS, variants=variants)
                asked = (PIXELS, 2048, variants)
                answer = await process.call(normalise_confined, asked, tmp_path / "sample")
                assert (number, parse_normalised(answer, variants=variants)) == (number, expected)


def failing(_: bytes) -> bytes:
    raise ZeroDivisionError


def endless(_: bytes) -> bytes:
    os.write(1, b"+" + (2**62).to_bytes(8, "big"))
    return b""


async def test_a_failure_in_a_process_is_distinguished_from_a_result(tmp_path: Path) -> None:
    async with worker(confined=False) as process:
        assert await process.call(bytes.upper, ()) == b""
        (tmp_path / "file").write_bytes(b"content" * 500_000)
        answer = await process.call(bytes.upper, (), tmp_path / "file")
        assert answer == b"CONTENT" * 500_000
        with pytest.raises(ProcessFailedError, match="ZeroDivisionError"):
            await process.call(failing, ())
        with pytest.raises(ProcessFailedError, match="FileNotFoundError"):
            await process.call(bytes.upper, (), tmp_path / "missing")
    async with worker(confined=False) as process:
        with pytest.raises(ProcessFailedError, match="without end"):
            await process.call(endless, ())


async def test_processes_are_kept_until_they_have_been_idle_for_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    workers = ChildPool(None)
    first, second = await workers.take(), await workers.take()
    workers.give_back(first)
    assert await workers.take() is first
    workers.give_back(first)
    workers.give_back(second)
    await second.end()
    # One that has ended is passed over.
    assert await workers.take() is first
    workers.give_back(first)
    monkeypatch.setattr(offload, "IDLE_SECONDS", -1)
    workers._prune()
    for task in list(workers._pruning):
        await task
    assert first.has_ended
    await workers.close()


async def test_a_child_of_a_parent_that_is_gone_does_not_start() -> None:
    with pytest.raises(ProcessFailedError):
        await ChildProcess.start((confine, (MEMORY, os.getpid() + 1)))


# Half a second to decode it, a quarter to encode it.
SECONDS = b"\x3f\0\0\0" + b"\x3e\x80\0\0"
HEAD = b"Pjpg \0\0\0\2\0\0\0\1abc" + SECONDS
WHOLE = HEAD + b"\0\0\0\1\xff"
ANSWERS = (
    b"", b"P", b"I\x1b[31mred", b"I\xff", b"X", b"\x80", b"Pjpg ", HEAD, WHOLE[:-1], WHOLE + b"\0",
    HEAD + b"\0\0\0\0", HEAD + b"\xff\xff\xff\xff\xff", WHOLE.replace(b"jpg ", b"exe "),
    WHOLE.replace(b"jpg ", b"\xff\xff\xff\xff"), WHOLE.replace(b"\2\0", b"\0\0"),
    WHOLE.replace(b"\0\0\0\2", b"\0\1\0\0"), WHOLE.replace(b"\0\0\0\1abc", b"\xff\0\0\1abc"),
    HEAD[:-8] + b"\0\0\0\1\xff",
)  # fmt: skip


async def test_what_a_process_answers_is_not_believed() -> None:
    for answer in ANSWERS:
        with pytest.raises(InvalidImageError) as refused:
            parse_normalised(answer, variants=False)
        assert "\x1b" not in refused.value.detail
    with pytest.raises(UnsupportedImageError):
        parse_normalised(b"U", variants=False)
    with pytest.raises(InvalidImageError) as refused:
        parse_normalised(b"Ihas too many pixels", variants=False)
    assert refused.value.detail == "has too many pixels"
    assert parse_normalised(WHOLE, variants=False) == Picture(b"\xff", "jpg", 2, 1)


def test_how_long_it_took_is_believed_only_if_it_can_be() -> None:
    told = parse_normalised(WHOLE, variants=False).durations
    assert told == Durations(0.5, 0.25)
    assert told.within(0.75) == told
    for seconds in (0.74, 0.0):
        assert told.within(seconds) == Durations(0, 0)
    for impossible in ((math.nan, 0.1), (math.inf, 0.1), (-0.1, 0.2), (0.1, -math.inf)):
        assert Durations(*impossible).within(1) == Durations(0, 0), impossible


async def test_a_decoder_s_answer_is_accepted_only_with_the_requested_variants() -> None:
    more = WHOLE + b"\0\0\0\1t" + b"\0\0\0\1c" + b"\0\0\0\1s"
    made = parse_normalised(more, variants=True)
    assert (made.placeholder, made.variants) == (
        "#616263", {"thumb": b"t", "card": b"c", "share": b"s"},
    )  # fmt: skip
    for answer, variants in ((more, False), (WHOLE, True), (more[:-5], True), (more + b"x", True)):
        with pytest.raises(InvalidImageError):
            parse_normalised(answer, variants=variants)


def test_a_child_answers_and_ends_with_its_parent() -> None:
    import pickle

    def question(*parts: bytes) -> bytes:
        return b"".join(len(part).to_bytes(8, "big") + part for part in parts)

    sink = BytesIO()
    asked = question(pickle.dumps((bytes.upper, ())), b"a picture")
    asked += question(pickle.dumps((failing, ())), b"")
    serve(BytesIO(asked + b"\0"), sink)
    assert sink.getvalue() == b"+\0\0\0\0\0\0\0\x09A PICTURE-\0\0\0\0\0\0\0\x11ZeroDivisionError"


async def test_a_pool_that_cannot_start_a_process_is_overloaded_not_the_picture_bad() -> None:
    from adsvc.errors import OverloadedError

    pool = ProcessPool(workers=1, queue=0, seconds=5)
    pool._workers = ChildPool((failing, ()))
    with pool.slot() as slot, pytest.raises(OverloadedError):
        await slot.run(bytes.upper)
    assert not pool.is_full


async def test_a_process_that_fails_is_replaced() -> None:
    pool = ProcessPool(workers=1, queue=0, seconds=20)
    pool._workers = ChildPool(None)
    with pool.slot() as slot, pytest.raises(WorkFailedError):
        await slot.run(failing)
    with pool.slot() as slot:
        assert await slot.run(bytes.upper) == b""
    await pool.close()


def test_a_process_of_the_service_cannot_be_looked_into(settings: Settings) -> None:
    program = (
        "import ctypes; from adsvc.main import create_app_from_environment as make; make();"
        f"print(ctypes.CDLL(None).prctl({PR_GET_DUMPABLE}, 0, 0, 0, 0))"
    )
    command = [sys.executable, "-c", program]
    environment = {**os.environ, **settings.to_environment()}
    made = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert made.stdout == "0\n"
