import asyncio
import json
import logging
import re
import sys
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import pytest

from adsvc.kit.counters import RequestCounts
from adsvc.kit.observability import logging as adsvc_logging
from adsvc.kit.observability.logging import FLUSH_SECONDS, AccessLog, LineFormatter
from adsvc.settings import AccessLines, LogFormat
from conftest import ApiFactory
from support.scene.api import Api
from support.scene.warmth import warmed

LINE = re.compile(
    r"(?P<time>\S+) (?P<method>[A-Z]+) (?P<route>\S+) (?P<status>\d{3}) (?P<ms>[\d.]+) ms"
    r" request_id=(?P<request_id>\S+) user_id=(?P<user_id>\S+)"
)


def written(capfd: pytest.CaptureFixture[str]) -> list[str]:
    return capfd.readouterr().err.splitlines()


async def test_a_line_for_people(capfd: pytest.CaptureFixture[str]) -> None:
    log = AccessLog(LogFormat.CONSOLE)
    log.write("an-id", "GET", "/ads/{id}", 200, 0.0123456, 7)
    log.write("an-id", "GET", None, 404, 1.0, None)
    log.write("an-id", "GET", "/ads/{id}", 200, 1.0, 7, 42)
    assert written(capfd) == []
    log.flush()
    *lines, with_ad = written(capfd)
    assert with_ad.endswith(" user_id=7 ad_id=42")
    found, lost = [LINE.fullmatch(line) for line in lines]
    assert found is not None
    assert found.groups()[1:] == ("GET", "/ads/{id}", "200", "12.35", "an-id", "7")
    age = datetime.now(UTC) - datetime.fromisoformat(found["time"])
    assert 0 <= age.total_seconds() < 60
    assert lost is not None
    assert (lost["route"], lost["user_id"]) == ("-", "-")


async def test_a_line_for_machines_has_the_members_of_all_the_others(
    capfd: pytest.CaptureFixture[str],
) -> None:
    log = AccessLog(LogFormat.JSON)
    log.write("an-id", "GET", "/ads", 304, 0.001, None)
    log.flush()
    (line,) = written(capfd)
    record = json.loads(line)
    handlers, level = logging.root.handlers[:], logging.root.level
    try:
        adsvc_logging.configure(LogFormat.JSON)
        logging.getLogger("adsvc.test").info("something", extra={"request_id": "an-id"})
    finally:
        logging.root.handlers[:] = handlers
        logging.root.setLevel(level)
        logging.getLogger("uvicorn.access").disabled = False
    (other,) = written(capfd)
    assert json.loads(other).keys() <= record.keys()
    del record["timestamp"]
    assert record == {
        "level": "info",
        "logger": "adsvc.access",
        "event": "request",
        "request_id": "an-id",
        "method": "GET",
        "route": "/ads",
        "status": 304,
        "duration_ms": 1.0,
        "user_id": None,
        "ad_id": None,
    }


def _record(**extra: object) -> logging.LogRecord:
    logger = logging.getLogger("adsvc.test")
    try:
        raise ValueError("no value")  # noqa: TRY301 - the traceback is what matters
    except ValueError:
        return logger.makeRecord(
            "adsvc.test", logging.WARNING, "", 0, "%s is gone", ("It",), sys.exc_info(),
            extra={"color_message": "\x1b[1mIt", **extra},
        )  # fmt: skip


def test_other_lines_for_machines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adsvc_logging.Traces, "current", lambda: "a-trace")
    line = LineFormatter(LogFormat.JSON).format(_record(ad=7, path=Path("here")))
    record = json.loads(line)
    assert "\n" not in line
    age = datetime.now(UTC) - datetime.fromisoformat(record.pop("timestamp"))
    assert 0 <= age.total_seconds() < 60
    assert record.pop("exception").endswith("\nValueError: no value")
    assert record == {
        "event": "It is gone",
        "level": "warning",
        "logger": "adsvc.test",
        "ad": 7,
        "path": repr(Path("here")),
        "trace_id": "a-trace",
    }


def test_other_lines_for_people() -> None:
    line, *traceback = LineFormatter(LogFormat.CONSOLE).format(_record(ad=7, of="a b")).split("\n")
    _, _, rest = line.partition(" ")
    assert rest.split() == [
        "[warning",
        "]",
        "It",
        "is",
        "gone",
        "[adsvc.test]",
        "ad=7",
        "of='a",
        "b'",
    ]
    assert (traceback[0], traceback[-1]) == (
        "Traceback (most recent call last):", "ValueError: no value",
    )  # fmt: skip


async def test_nothing_is_written_when_nothing_happened(capfd: pytest.CaptureFixture[str]) -> None:
    AccessLog(LogFormat.JSON).flush()
    assert written(capfd) == []


@pytest.mark.heavy
async def test_every_answer_has_a_line_that_says_nothing_of_what_was_sent(
    start_api: ApiFactory, capfd: pytest.CaptureFixture[str]
) -> None:
    ids = {}

    async def use(api: Api) -> None:
        person = await api.person("secretly@example.com", firstName="Secretfirst")
        ad = await person.post_ad(title="Secret title", description="Secret words here.")
        sent = {"q": "secret", "secret": "secret"}
        for path in ("/ads?q=secret", f"/ads/{ad['pk']}", ad["image"]):
            cold, hot = await warmed(api, path, person.headers)
            assert cold.headers["x-request-id"] != hot.headers["x-request-id"]
            ids[path] = (cold.headers["x-request-id"], hot.headers["x-request-id"])
        for path in ("/secret", "/ads/secret", "/images/secret.jpg", f"/ads/{ad['pk']}/secret"):
            await person.get(path, params=sent, headers={"User-Agent": "secret", "X": "secret\tx"})
        ids["person"] = (str(person.id), "")

    async with start_api(log_format=LogFormat.JSON) as api:
        await use(api)
    lines = {json.loads(line)["request_id"]: line for line in written(capfd) if line[:1] == "{"}
    assert not [line for line in lines.values() if "secret" in line.lower()]
    user = int(ids.pop("person")[0])
    assert len(ids) == 3
    for cold, hot in ids.values():
        # Both are the same but for the time they took.
        one, other = json.loads(lines[cold]), json.loads(lines[hot])
        for record in (one, other):
            del record["timestamp"], record["duration_ms"], record["request_id"]
        assert one == other
        assert one["user_id"] == (user if one["route"] == "/ads/{id}" else None)
    routes = {json.loads(line)["route"] for line in lines.values()}
    assert {"/ads", "/ads/{id}", "/images/{name}", None} <= routes


@pytest.mark.heavy
async def test_an_ad_that_was_posted_is_in_the_line(
    api: Api, capfd: pytest.CaptureFixture[str]
) -> None:
    ad = await (await api.person()).post_ad()
    posted = [line for line in await _lines(capfd) if " POST /ads 201 " in line]
    assert [line.rpartition(" ")[2] for line in posted] == [f"ad_id={ad['pk']}"]


async def _lines(capfd: pytest.CaptureFixture[str]) -> list[str]:
    """Those of the last moment come a twentieth of a second later."""
    await asyncio.sleep(2 * FLUSH_SECONDS)
    return written(capfd)


GIVEN = "7F3C4F0E-4c3c-4b0e-9f55-6a1a0c0f3a10"


@pytest.mark.heavy
async def test_the_id_of_a_request_is_that_of_a_trusted_proxy(start_api: ApiFactory) -> None:
    async with start_api(trusted_proxies="192.0.2.1") as api:
        person = await api.person()
        proxy, stranger = api.at("192.0.2.1"), api.at("192.0.2.9")
        # By the framework, before it, and from memory.
        for path in ("/nothing", "/ads/1", "/ads", "/ads", "/users/me/sessions"):
            headers = {**person.headers, "X-Request-Id": GIVEN}
            believed = await proxy.get(path, headers=headers)
            assert believed.headers["x-request-id"] == GIVEN.lower(), path
            if believed.is_error:
                assert believed.json()["instance"] == f"urn:uuid:{GIVEN.lower()}"
            own = (await stranger.get(path, headers=headers)).headers["x-request-id"]
            assert own != GIVEN.lower()
        for other in ("x" * 36, GIVEN[1:], GIVEN + "0", f'{GIVEN[:-1]}"', "", "a" * 4000):
            answer = await proxy.get("/ads", headers={"X-Request-Id": other})
            assert UUID(answer.headers["x-request-id"]).version == 4, other


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (AccessLines.ALL, [200] * 250 + [304, 400, 404, 503]),
        (AccessLines.ERRORS, [400, 404, 503]),
        (AccessLines.SAMPLE, [200, 200, 400, 404, 503]),
    ],
)
async def test_an_operator_chooses_which_requests_have_a_line(
    lines: AccessLines, expected: list[int], capfd: pytest.CaptureFixture[str]
) -> None:
    counts = RequestCounts()
    log = AccessLog(LogFormat.JSON, counts, lines)
    for status in (*[200] * 250, 304, 400, 404, 503):
        log.write("00000000-0000-0000-0000-000000000000", "GET", "/ads", status, 0.001, None)
    log.flush()
    found = [json.loads(line) for line in written(capfd)]
    assert [line["status"] for line in found] == expected
    # A line that stands for others says so; an error stands for itself.
    sampled = {(line["status"] < 400, line.get("sampled")) for line in found}
    if lines is AccessLines.SAMPLE:
        assert sampled == {(True, 100), (False, None)}
    else:
        assert {number for _, number in sampled} == {None}
    # Metrics count all of them.
    assert sum(counts.totals.values()) == 254
