import json
import logging
import re
from datetime import UTC, datetime

import pytest
import structlog

from adsvc.observability import logging as adsvc_logging
from adsvc.observability.access_log import AccessLog
from adsvc.settings import LogFormat
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
        structlog.reset_defaults()
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


async def test_nothing_is_written_when_nothing_happened(capfd: pytest.CaptureFixture[str]) -> None:
    AccessLog(LogFormat.JSON).flush()
    assert written(capfd) == []


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
