"""Phone numbers as people write and copy them, in a form whose digits can be dialled."""

from typing import Any

import pytest

from conftest import ApiFactory
from support.scene.api import PASSWORD, Api

# By the site's country: what is written, and the answer.
WRITTEN = [
    (None, "+49 30 1234567", "+49 30 1234567"),
    (None, "+7 (999) 123-45-67", "+7 (999) 123-45-67"),
    (None, "(+49) 30 123456", "(+49) 30 123456"),
    (None, "+49 (0)30 123456", "+49 30 123456"),
    (None, "\u202a+49 30 1234567\u202c", "+49 30 1234567"),
    (None, "\u200e+49\xa030\u20111234567\ufeff", "+49 30-1234567"),
    (None, "\uff0b\uff14\uff19 30 1234567", "+49 30 1234567"),
    # Without a country they can be dialled where the site is.
    (None, "030/123456", "030/123456"),
    (None, "01.23.45.67.89", "01.23.45.67.89"),
    (None, "\u0661\u0662\u0663\u0664\u0665\u0666\u0667", "1234567"),
    ("DE", "030/123456", "+49 30 123456"),
    ("DE", "030 \u2013 123 456", "+49 30 123456"),
    ("DE", "0049 (0)30 123456", "+49 30 123456"),
    ("DE", "[030] 123456", "+49 30 123456"),
    ("DE", "+33 1 23 45 67 89", "+33 1 23 45 67 89"),
    ("FR", "01.23.45.67.89", "+33 1 23 45 67 89"),
    ("IT", "06 1234567", "+39 06 123 4567"),
    ("US", "(212) 555-0123", "+1 212-555-0123"),
    # Without its area code a number has no international form.
    ("US", "555-0123", "555-0123"),
    (None, " \u200b", ""),
]  # fmt: skip
NO_NUMBERS = ["+49 1", "+999 30 1234567", "1234", "030/123456 ext. 7", "jo@x.de"]


@pytest.mark.parametrize(("country", "written", "answered"), WRITTEN)
@pytest.mark.heavy
async def test_a_number_can_be_dialled_by_its_digits(
    start_api: ApiFactory, country: str | None, written: str, answered: str
) -> None:
    async with start_api(country=country) as api:
        record: dict[str, Any] = {"username": "anna", "password": PASSWORD, "phone": written}
        created = await api.client.post("/register", json=record)
        assert (created.status_code, created.json().get("phone")) == (201, answered)
        person = await api.person()
        changed = await person.patch("/users/me", json={"phone": written})
        assert changed.json()["phone"] == answered
        ad = (await person.post_ad())["pk"]
        reader = await api.person()
        assert (await reader.get(f"/ads/{ad}")).json()["phone"] == answered


@pytest.mark.parametrize("written", NO_NUMBERS)
async def test_what_is_no_number_is_refused(api: Api, written: str) -> None:
    person = await api.person()
    answer = await person.patch("/users/me", json={"phone": written})
    assert answer.status_code == 400
    [fault] = answer.json()["errors"]
    assert (fault["pointer"], fault["code"]) == ("/phone", "wrong-format")
