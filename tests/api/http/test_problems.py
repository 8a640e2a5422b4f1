import json
import re
import uuid
from collections.abc import Iterator
from contextlib import contextmanager

import httpx2
import pytest
from fastapi import FastAPI, Request, Response
from markupsafe import escape
from starlette.exceptions import HTTPException

from adsvc.errors import PROBLEMS
from adsvc.kit.http.protocol import PROTOCOL_PROBLEMS
from conftest import ApiFactory
from support.running.in_process import add_route
from support.scene.api import Api

CANARY = "canary-7f3c4f0e"
PATHS = {
    "/login": "POST",
    "/register": "POST",
    "/ads": "GET, HEAD, POST",
    "/ads/me": "GET, HEAD",
    "/ads/1": "GET, HEAD, PATCH, DELETE",
    "/ads/1/image": "PATCH",
    "/images/0f8fad5bd9cb469fa16570867728950e.jpg": "GET, HEAD",
    "/livez": "GET, HEAD",
    "/readyz": "GET, HEAD",
    "/problems": "GET, HEAD",
    "/openapi.json": "GET, HEAD",
    "/docs": "GET, HEAD",
    "/redoc": "GET, HEAD",
    "/docs-assets/swagger-ui.css": "GET, HEAD",
}
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "QUERY", "X" * 99)


@pytest.mark.parametrize("path", PATHS)
async def test_a_wrong_method_gets_a_list_of_the_allowed_ones(
    client: httpx2.AsyncClient, path: str
) -> None:
    allowed = PATHS[path].split(", ")
    for method in METHODS:
        answer = await client.request(method, path)
        assert (answer.status_code == 405) == (method not in allowed), method
        if answer.status_code == 405:
            assert answer.headers["Allow"] == PATHS[path]
            if method != "HEAD":
                assert answer.json()["type"] == "/problems#method-not-allowed"


UNKNOWN = [
    *("/nothing", "/ads/", "/ads/1/", "/ads/1/2", "/ads/1/image/", "/Ads", "/ads//1", "/images"),
    *("/images/", "/%00", "/%ff", "/" + "a" * 5000, "/ads/me/", "/ads/me/1"),
]
FILES = ["/docs-assets/x", "/docs-assets/%2e%2e/%2e%2e/__init__.py", "/docs-assets/%2fetc%2fpasswd"]


@pytest.mark.parametrize("path", [*UNKNOWN, *FILES])
async def test_an_unknown_path_is_not_found(client: httpx2.AsyncClient, path: str) -> None:
    for method in ("GET", "HEAD") if path in FILES else ("GET", "POST", "HEAD", "OPTIONS"):
        answer = await client.request(method, path)
        assert answer.status_code == 404, method
    answer = await client.get(path)
    request_id = answer.headers["X-Request-Id"]
    assert answer.json() == {
        "type": "/problems#not-found",
        "title": "There is nothing at this address",
        "status": 404,
        "detail": "There is nothing at this address.",
        "instance": f"urn:uuid:{request_id}",
    }


async def test_every_answer_has_an_id_of_its_own(api: Api) -> None:
    person = await api.person()
    paths = ["/ads", "/ads/me", "/ads/99", "/nothing", "/docs", "/openapi.json", "/livez"]
    answers = [await person.get(path) for path in paths]
    answers += [await person.patch("/ads/99", json={}), await api.client.post("/login", json={})]
    ids = {uuid.UUID(answer.headers["X-Request-Id"]) for answer in answers}
    assert len(ids) == len(answers)


async def test_an_id_that_the_client_brings_is_not_taken(client: httpx2.AsyncClient) -> None:
    answer = await client.get("/livez", headers={"X-Request-Id": CANARY})
    assert answer.headers["X-Request-Id"] != CANARY


@pytest.mark.heavy
async def test_the_id_of_a_trusted_proxy_is_taken_in_either_spelling(
    start_api: ApiFactory,
) -> None:
    given = uuid.uuid4()
    async with start_api(trusted_proxies=("127.0.0.0/8", "192.0.2.0/24")) as api:
        for path in ("/livez", "/ads", "/site", "/ads/99"):
            for text in (str(given), given.hex, given.hex.upper()):
                answer = await api.client.get(path, headers={"X-Request-Id": text})
                assert answer.headers["X-Request-Id"] == str(given), (path, text)
            for text in (given.hex[1:], given.hex + "0", "g" * 32, str(given).replace("-", "_")):
                answer = await api.client.get(path, headers={"X-Request-Id": text})
                assert answer.headers["X-Request-Id"] not in {text, str(given)}, (path, text)


async def test_what_was_sent_is_never_sent_back(api: Api) -> None:
    person = await api.person()
    await person.post_ad()
    sent = {"username": [CANARY], "password": {CANARY: CANARY}, CANARY: CANARY, "role": CANARY}
    change = {"title": {CANARY: 1}, "price": CANARY, "description": [CANARY], CANARY: None}
    answers = [
        await api.client.post("/register", json=sent),
        await api.client.post("/login", json=sent),
        await api.client.post("/login", content=CANARY, headers={"Content-Type": CANARY}),
        await person.patch("/ads/1", json=change),
        await person.patch(f"/ads/{CANARY}", json=change),
        await person.post("/ads", files={CANARY: (CANARY, CANARY), "image": (CANARY, CANARY)}),
        await person.post("/ads", content=b"", headers={"Content-Type": f"multipart/{CANARY}"}),
        await api.client.get("/ads", params={"limit": CANARY, "cursor": CANARY}),
        await api.client.get(f"/ads?cursor={CANARY}"),
        await api.client.get(f"/images/{CANARY}"),
        await api.client.get(f"/{CANARY}?{CANARY}"),
        await api.client.request(CANARY, "/ads"),
        await api.client.get("/ads/me", headers={"Authorization": f"Bearer {CANARY}"}),
    ]
    for answer in answers:
        assert 400 <= answer.status_code < 500
        assert CANARY not in answer.text
        assert CANARY not in str(answer.headers)


@contextmanager
def failing(app: FastAPI, errors: list[Exception]) -> Iterator[str]:
    """A route that raises this error."""

    async def fail(_: Request) -> Response:
        raise errors[-1]

    add_route(app, "/fail", fail)
    yield "/fail"


@pytest.mark.heavy
async def test_an_unexpected_error_is_described_only_in_the_log(
    start_api: ApiFactory, caplog: pytest.LogCaptureFixture
) -> None:
    errors = (
        RuntimeError(CANARY), KeyError(CANARY), ValueError(CANARY), HTTPException(500, CANARY),
        HTTPException(418, CANARY), RecursionError(CANARY), MemoryError(CANARY),
        OSError(5, CANARY), TimeoutError(CANARY), FileNotFoundError(2, CANARY),
    )  # fmt: skip
    raised: list[Exception] = []
    async with start_api() as api:
        with failing(api.app, raised) as path:
            for error in errors:
                raised.append(error)
                caplog.clear()
                answer = await api.client.get(path)
                assert answer.status_code == 500, error
                assert answer.json()["type"] == "/problems#internal-error", error
                assert answer.json()["detail"] == (
                    "The service failed; the log has the cause under this request's id."
                )
                assert CANARY not in answer.text, error
                assert answer.headers["X-Request-Id"] in answer.json()["instance"], error
                assert CANARY in caplog.text, error


@pytest.mark.heavy
async def test_the_log_finds_the_cause_of_an_error_under_the_request_s_id(
    start_api: ApiFactory, caplog: pytest.LogCaptureFixture
) -> None:
    async with start_api() as api:
        with failing(api.app, [RuntimeError(CANARY)]) as path:
            answer = await api.client.get(path)
    (record,) = [record for record in caplog.records if record.exc_info]
    assert record.__dict__["request_id"] == answer.headers["X-Request-Id"]


@pytest.mark.heavy
async def test_each_request_is_one_line_of_the_log(
    start_api: ApiFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    async with start_api(log_format="json") as api:
        person = await api.person()
        await person.post_ad()
        answers = [
            await person.get("/ads/1", params={"x": CANARY}),
            await person.request("HEAD", "/ads/1"),
            await api.client.get("/ads/1"),
            await person.get(f"/{CANARY}"),
            await api.client.post("/login", json={"username": CANARY, "password": CANARY}),
        ]
    ids = [answer.headers["X-Request-Id"] for answer in answers]
    # Another application's lines of the moment before may be among them, in its own format.
    written = capsys.readouterr().err.splitlines()
    of_these = [json.loads(line) for id_ in ids for line in written if id_ in line]
    lines = [line for line in of_these if line["logger"] == "adsvc.access"]
    told = [(x["method"], x["route"], x["status"], x["user_id"], x["request_id"]) for x in lines]
    route = "/ads/{id}"
    expected = [
        ("GET", route, 200, person.id),
        ("HEAD", route, 200, person.id),
        ("GET", route, 401, None),
        ("GET", None, 404, None),
        ("POST", "/login", 401, None),
    ]
    assert told == [(*line, id_) for line, id_ in zip(expected, ids, strict=True)]
    assert all(line["duration_ms"] > 0 for line in lines)
    assert CANARY not in str(lines)
    assert person.token not in str(lines)


async def test_every_type_of_problem_is_explained_where_it_points(
    client: httpx2.AsyncClient,
) -> None:
    page = await client.get("/problems")
    assert page.status_code == 200
    explained = set(re.findall(r'<dt id="([a-z-]+)">', page.text))
    transport = {refusal.slug for refusal in PROTOCOL_PROBLEMS}
    assert explained == {meaning.slug for meaning in PROBLEMS} | transport
    for meaning in PROBLEMS:
        words = re.sub(r"`(.+?)`", r"<code>\1</code>", str(escape(meaning.explanation)))
        assert words in page.text
    assert "`" not in page.text
