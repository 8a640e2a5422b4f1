"""What is tried again, and what is not."""

from pathlib import Path

import pytest

from adsvc_client import (
    AdsvcClient,
    InvalidRequestError,
    NoAnswerError,
    ProblemError,
    Retries,
    UnexpectedAnswerError,
    WrongCredentialsError,
)
from bad_line import BadLine, free_port
from conftest import PASSWORD


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_a_read_is_repeated(line: BadLine, status: int) -> None:
    line.refuse("GET", "/ads", status, retry_after=0)
    with AdsvcClient(line.address) as client:
        client.list_ads()
    assert len(line.requests("GET", "/ads")) == 2


@pytest.mark.parametrize("prefix", ["", "/api", "https://example.org/api"])
def test_a_path_prefix_makes_no_difference_to_a_problem_s_type(
    line: BadLine, name: str, prefix: str
) -> None:
    for status, kind in ((503, "overloaded"), (409, "idempotency-in-progress")):
        line.refuse("POST", "/login", status, 0, f"{prefix}/problems#{kind}")
    line.refuse("POST", "/login", 401, problem=f"{prefix}/problems#wrong-credentials")
    with AdsvcClient(line.address) as client, pytest.raises(WrongCredentialsError) as refused:
        client.login(username=name, password=PASSWORD)
    assert refused.value.type == "/problems#wrong-credentials"
    assert len(line.requests("POST", "/login")) == 3


def test_attempts_have_an_end(line: BadLine) -> None:
    for _ in range(3):
        line.refuse("GET", "/ads", 503)
    with (
        AdsvcClient(line.address, retries=Retries(attempts=3, first_wait=0.001)) as client,
        pytest.raises(ProblemError) as refused,
    ):
        client.list_ads()
    assert (refused.value.status, len(line.requests("GET", "/ads"))) == (503, 3)


def test_a_wait_that_is_too_long_is_not_begun(line: BadLine) -> None:
    line.refuse("GET", "/ads", 429, retry_after=31)
    with AdsvcClient(line.address) as client, pytest.raises(ProblemError) as refused:
        client.list_ads()
    assert (refused.value.retry_after, len(line.requests("GET", "/ads"))) == (31, 1)


def test_repetitions_have_the_key_of_the_first(line: BadLine, name: str) -> None:
    line.refuse("POST", "/register", 503)
    line.lose_answer("POST", "/register")
    with AdsvcClient(line.address) as client:
        client.register(username=name, password=PASSWORD)
        client.register(username=f"other-{name}", password=PASSWORD)
    keys = [one.headers["Idempotency-Key"] for one in line.requests("POST", "/register")]
    assert len(keys) == 4
    assert len(set(keys)) == 2
    assert len(set(keys[:3])) == 1


def test_a_refusal_is_not_repeated(line: BadLine, name: str) -> None:
    with AdsvcClient(line.address) as client, pytest.raises(InvalidRequestError) as refused:
        client.register(username=name, password="short")
    (fault,) = refused.value.errors
    assert fault.pointer == "/password"
    assert "/password" in str(refused.value)
    assert len(line.requests("POST", "/register")) == 1


def test_a_change_of_what_was_read_is_never_made_twice(
    line: BadLine, photo: Path, name: str
) -> None:
    with AdsvcClient(line.address) as client:
        client.register(username=name, password=PASSWORD)
        client.login(username=name, password=PASSWORD)
        ad = client.create_ad(title="A table", price=1, description="Solid oak.", images=[photo])
        line.lose_answer("PATCH", f"/ads/{ad.pk}")
        with pytest.raises(NoAnswerError):
            client.update_ad(ad.pk, price=2, if_match=ad)
        assert client.get_ad(ad.pk).price == 2


def test_nobody_there(photo: Path) -> None:
    with (
        AdsvcClient(
            f"http://127.0.0.1:{free_port()}", retries=Retries(attempts=2, first_wait=0.001)
        ) as client,
        pytest.raises(NoAnswerError),
    ):
        client.replace_my_image(image=photo)


def test_something_else_there(line: BadLine) -> None:
    line.refuse("GET", "/ads", 200)
    with AdsvcClient(line.address) as client, pytest.raises(UnexpectedAnswerError):
        client.list_ads()
