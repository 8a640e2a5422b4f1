"""The headers of every response, wherever it is made."""

import pytest

from adsvc.kit.http.messages import CORS, SECURITY, VERSION, secured
from conftest import ApiFactory
from support.scene.api import Api
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


def test_a_response_keeps_a_policy_of_its_own() -> None:
    policy = (b"content-security-policy", b"sandbox")
    headers = secured([policy])
    assert [value for name, value in headers if name == policy[0]] == [policy[1]]
    assert {name for name, _ in SECURITY} <= {name for name, _ in headers}


async def test_a_preflight_has_permissions_of_its_own(api: Api) -> None:
    sent = {"Origin": ORIGIN, "Access-Control-Request-Method": "PATCH"}
    answer = await api.client.options("/ads/1", headers=sent)
    assert answer.status_code == 204
    names = [name for name, _ in answer.headers.multi_items()]
    permissions = [name for name in names if name.startswith("access-control")]
    assert len(permissions) == len(set(permissions))
    assert "access-control-allow-methods" in permissions
    assert "access-control-expose-headers" not in permissions
    assert answer.headers.get_list("vary") == ["Origin"]
