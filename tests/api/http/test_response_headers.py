"""The headers of every response, wherever it is made."""

import pytest

from adsvc.http.responses import CORS, SECURITY, VARY, VERSION, ResponseHeaders
from conftest import ApiFactory
from support.trouble.blocking import one_at_work

ORIGIN = "http://localhost:3000"


@pytest.mark.heavy
async def test_every_response_has_the_same_headers_wherever_it_is_made(
    start_api: ApiFactory,
) -> None:
    async with start_api(busy_requests=1) as api:
        asked = {
            "/ads": 200, "/ads?limit=0": 400, "/ads/1": 401, "/users/me": 401, "/nowhere": 404,
            "/ads/facets": 200, "/livez": 200, "/openapi.json": 200,
        }  # fmt: skip
        headers = {"Origin": ORIGIN}
        answers = {path: await api.client.get(path, headers=headers) for path in asked}
        async with one_at_work(api):
            answers["/register"], asked["/register"] = (
                await api.client.post("/register", headers=headers),
                503,
            )
    expected = {name.decode(): value.decode() for name, value in (*SECURITY, *CORS, VERSION)}
    expected["access-control-allow-origin"] = ORIGIN
    for path, answer in answers.items():
        assert answer.status_code == asked[path], path
        told = {name: answer.headers.get(name) for name in expected}
        assert told == expected, path
        for name in (*expected, "x-request-id"):
            assert len(answer.headers.get_list(name)) == 1, (path, name)
        assert "Origin" in answer.headers["vary"].split(", "), path


def test_what_a_response_brings_along_stays() -> None:
    decided = ResponseHeaders(frozenset({ORIGIN}))
    own = decided.own("1", ORIGIN.encode(), secure=True)
    policy, vary = (b"content-security-policy", b"sandbox"), (b"Vary", b"Accept-Encoding")
    headers = decided.complete([policy, vary], own)
    assert [value for name, value in headers if name == policy[0]] == [policy[1]]
    assert [value for name, value in headers if name == b"vary"] == [b"Accept-Encoding, Origin"]
    assert (b"x-request-id", b"1") in headers
    assert {name for name, _ in SECURITY} <= {name for name, _ in headers}


def test_a_preflight_has_permissions_of_its_own() -> None:
    decided = ResponseHeaders(frozenset({ORIGIN}))
    own = decided.own("1", ORIGIN.encode(), secure=False)
    allowed = (b"access-control-allow-methods", b"GET")
    names = [name for name, _ in decided.complete([allowed, VARY], own)]
    assert [name for name in names if name.startswith(b"access-control")] == [allowed[0]]
    assert names.count(b"vary") == 1
