"""With the disk of an embedded database down to its reserve, nothing that adds text is accepted."""

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.engine import URL

from adsvc.settings import Settings
from conftest import ApiFactory
from support.s3.light import LightS3
from support.s3.server import S3Server
from support.scene.api import PASSWORD, ad_form
from support.scene.moderation import SCAM, TERMS, decide, moderator, neighbour, only_case

# More than any disk has.
EVERYTHING = 2**50
NEARLY_FULL = "/problems#disk-nearly-full"


@pytest.fixture
def data_dir_with_database(settings: Settings, server_url: URL) -> Path:
    """As if the tests' own server were the embedded one of the service."""
    cluster = Path(str(server_url.query.get("host", "")))
    if cluster.name != "postgres":
        pytest.skip("the tests' server is not an embedded one")
    settings.data_dir.mkdir(exist_ok=True)
    (settings.data_dir / "postgres").symlink_to(cluster)
    return settings.data_dir


@pytest.mark.heavy
async def test_in_the_reserve_nothing_that_adds_text_is_taken_and_all_else_is(
    start_api: ApiFactory, data_dir_with_database: Path
) -> None:
    async with start_api() as api:
        person, other, judge = await api.person(), await neighbour(api), await moderator(api)
        admin = await api.admin()
        ads = [f"/ads/{(await person.post_ad())['pk']}" for _ in range(2)]
        comment = (await person.post(f"{ads[1]}/comments", json={"text": "x"})).json()["pk"]
        await other.post(f"{ads[0]}/reports", json=SCAM)
        case = (await only_case(judge))["id"]
        await decide(judge, case, "removeAd", reason=TERMS)
        decision = (await person.get("/users/me/decisions")).json()["results"][0]["id"]
    async with start_api(disk_reserve_bytes=EVERYTHING) as api:
        assert api.state.settings.data_dir == data_dir_with_database
        for someone in (person, other, judge, admin):
            someone.client = api.client
        text = {"text": "More."}
        refused: tuple[tuple[Any, str, str, dict[str, Any]], ...] = (
            (person, "POST", "/ads", {"files": ad_form()}),
            (person, "PATCH", ads[1], {"json": {"description": "More."}}),
            (other, "POST", f"{ads[1]}/comments", {"json": text}),
            (person, "PATCH", f"{ads[1]}/comments/{comment}", {"json": text}),
            (other, "POST", f"{ads[1]}/reports", {"json": SCAM}),
            (person, "POST", f"/users/me/decisions/{decision}/appeal", {"json": text}),
            (person, "PATCH", "/users/me", {"json": {"firstName": "Anna"}}),
            (admin, "PUT", "/categories/tables", {"json": {"name": {"en": "Tables"}}}),
            (other, "POST", "/register",
             {"json": {"username": "new@example.com", "password": PASSWORD}}),
        )  # fmt: skip
        for caller, method, path, sent in refused:
            answer = await caller.request(method, path, **sent)
            assert answer.status_code == 503, (method, path, answer.text)
            assert answer.json()["type"] == NEARLY_FULL
            assert int(answer.headers["Retry-After"]) >= 1
        # A missing right is reported first.
        assert (await other.patch(ads[1], json={"price": 1})).status_code == 403
        ready = await api.client.get("/readyz")
        assert (ready.status_code, ready.json()["degraded"]) == (200, ["pictures", "text"])
        for method, path, body in (
            ("GET", ads[1], None),
            ("POST", f"{ads[1]}/withdraw", None),
            ("DELETE", ads[1], None),
        ):
            answer = await person.request(method, path, json=body)
            assert answer.is_success, (method, path, answer.text)
        await api.log_in(person.username, PASSWORD)
        assert (await judge.get("/moderation/cases")).is_success


@pytest.mark.heavy
async def test_pictures_in_a_bucket_need_no_room_in_the_data_directory(
    start_api: ApiFactory, s3: tuple[S3Server, LightS3], prefix: str
) -> None:
    async with start_api(disk_reserve_bytes=EVERYTHING, **s3[0].settings(prefix)) as api:
        person = await api.person()
        ad = await person.post_ad()
        answer = await person.post(f"/ads/{ad['pk']}/comments", json={"text": "There is room."})
        assert answer.is_success
        assert (await api.client.get("/readyz")).json()["degraded"] == []
