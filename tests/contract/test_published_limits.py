"""The limits in the document are those that are enforced."""

import pytest
from openapi_schema_validator import OAS31Validator

from support.contract.documents import Json, document_with


def accepts(document: Json, record: str, member: str, value: object) -> bool:
    rules = document["components"]["schemas"][record]["properties"][member]
    return bool(OAS31Validator(rules).is_valid(value))


# The numbering plans of countries are no patterns.
PHONES = ["", "12345", "030/123456", "01.23.45.67.89", "0123456789 01234"]
NO_PHONES = ["0" * 33, None]


@pytest.mark.heavy
def test_the_published_limits_are_those_of_the_contract() -> None:
    document = document_with()
    good: list[tuple[str, str, object]] = [
        *(("Register", "username", "a" * length) for length in (4, 254)),
        *(("Register", "password", "a" * length) for length in (8, 128)),
        *(("Register", "firstName", "a" * length) for length in (0, 64)),
        *(("Register", "phone", phone) for phone in PHONES),
        *(("Login", "username", "a" * length) for length in (1, 254)),
        *(("CreateOrUpdateAd", "title", title) for title in ("desk", "a" * 150)),
        *(("CreateOrUpdateAd", "description", "a" * length) for length in (8, 8000)),
        *(("CreateOrUpdateAd", "price", price) for price in (0, 2**31 - 1)),
    ]
    bad: list[tuple[str, str, object]] = [
        *(("Register", "username", "a" * length) for length in (3, 255)),
        *(("Register", "password", "a" * length) for length in (7, 129)),
        *(("Register", "firstName", text) for text in ("a" * 65, None)),
        *(("Register", "phone", phone) for phone in NO_PHONES),
        *(("Register", "role", role) for role in ("ADMIN", "user", None)),
        *(("Login", "password", text) for text in ("", "a" * 129)),
        *(("CreateOrUpdateAd", "title", title) for title in ("abc", "a" * 151)),
        *(("CreateOrUpdateAd", "description", text) for text in ("a" * 7, "a" * 8001, None)),
        *(("CreateOrUpdateAd", "price", price) for price in (-1, 2**31, "15", True, 1.5, None)),
    ]
    assert [case for case in good if not accepts(document, *case)] == []
    assert [case for case in bad if accepts(document, *case)] == []


@pytest.mark.heavy
@pytest.mark.parametrize("price_max", [0, 100, 2**31 - 1])
def test_a_published_price_is_one_that_is_accepted(price_max: int) -> None:
    document = document_with(price_max=price_max)
    for price in (-1, 0, price_max, price_max + 1):
        expected = 0 <= price <= price_max
        assert accepts(document, "CreateOrUpdateAd", "price", price) == expected


@pytest.mark.heavy
def test_the_published_limits_change_with_the_settings() -> None:
    document = document_with(
        username_max_length=20, title_min_length=1, title_max_length=10, page_size_max=7,
        page_size_default=5, password_min_length=12,
    )  # fmt: skip
    assert not accepts(document, "Register", "username", "a" * 21)
    assert not accepts(document, "Login", "username", "a" * 21)
    assert accepts(document, "CreateOrUpdateAd", "title", "a")
    assert not accepts(document, "CreateOrUpdateAd", "title", "")
    assert not accepts(document, "CreateOrUpdateAd", "title", "a" * 11)
    assert not accepts(document, "Register", "password", "a" * 11)
    schema = document["components"]["parameters"]["LimitParameter"]["schema"]
    assert (schema["minimum"], schema["maximum"], schema["default"]) == (1, 7, 5)
