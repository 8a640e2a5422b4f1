import pytest

from adsvc.services.accounts.credentials import common_passwords, weakness_of
from adsvc.settings import Settings
from conftest import ApiFactory
from support.scene.api import PASSWORD, Api

ANNA = {"username": "anna.berg@example.com", "firstName": "Annabel", "lastName": "Bergström"}
WEAK = {
    "password": "common",
    "PASSWORD": "common",
    "Password1": "common",
    "12345678": "common",
    "ｐａｓｓｗｏｒｄ": "common",
    "  sunshine ": "common",
    "        ": "different characters",
    "abababababab": "different characters",
    "p" * 128: "different characters",
    "abcdefgh": "sequence",
    "zyxwvutsrq": "sequence",
    "anna.berg": "your name",
    "Anna.Berg@example.com": "your name",
    "annaberg2026": "your name",
    "bergström!": "your name",
    "Annabel1": "your name",
    "adsvc2026": "your name",
    "ADSVC-annabel": "your name",
    "adsvcpassword": "common",
}
STRONG = (PASSWORD, "anna has a correct horse", "adsvc: Kx7#pq9w", "tr0ub4dor&3", "xK9#mQ2!")


async def test_passwords_that_are_guessed_first_are_refused_with_the_reason(api: Api) -> None:
    for password, reason in WEAK.items():
        answer = await api.client.post("/register", json={**ANNA, "password": password})
        assert answer.status_code == 400, password
        (fault,) = answer.json()["errors"]
        assert fault["pointer"] == "/password", password
        assert reason in fault["detail"], password
    assert await api.sql("SELECT id FROM users") == []


async def test_other_passwords_are_taken(api: Api) -> None:
    for number, password in enumerate(STRONG):
        record = {**ANNA, "username": f"anna.berg{number}@example.com", "password": password}
        answer = await api.client.post("/register", json=record)
        assert answer.status_code == 201, (password, answer.text)


async def test_a_new_password_is_held_to_the_same(api: Api) -> None:
    anna = await api.person(
        ANNA["username"], firstName=ANNA["firstName"], lastName=ANNA["lastName"]
    )
    for method in ("POST", "PATCH"):
        for password, reason in WEAK.items():
            change = {"currentPassword": PASSWORD, "newPassword": password}
            answer = await anna.request(method, "/users/set_password", json=change)
            assert answer.status_code == 400, password
            (fault,) = answer.json()["errors"]
            assert fault["pointer"] == "/newPassword"
            assert reason in fault["detail"], password
    assert await api.log_in(anna.username, PASSWORD)


async def test_a_password_from_before_the_rule_still_logs_in(api: Api) -> None:
    await api.person("anna", password="12345678")
    assert await api.log_in("anna", "12345678")


async def test_a_weak_password_is_refused_before_it_counts(start_api: ApiFactory) -> None:
    async with start_api(rate_limits="on", registrations_per_address=1) as api:
        for password in ("password", PASSWORD):
            answer = await api.client.post("/register", json={**ANNA, "password": password})
        assert answer.status_code == 201


@pytest.mark.parametrize("name", ["Marktplatz", "Buy & Sell"])
def test_the_name_of_the_site_is_that_of_the_settings(name: str) -> None:
    settings = Settings(site_name=name)
    assert weakness_of(f"{name}2026", settings) is not None
    assert weakness_of("adsvc 2026 horse", settings) is None


def test_the_list_is_long_enough() -> None:
    """It is read from inside a package, whose next version may keep it elsewhere."""
    shortest = Settings().password_min_length
    assert sum(len(word) >= shortest for word in common_passwords().split()) > 10_000
