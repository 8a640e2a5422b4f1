"""What a call may have of its own, what comes along with data, and what is logged."""

import importlib
import logging
import pkgutil
import threading
from pathlib import Path

import httpx2
import pytest

from adsvc_client import (
    AdNotFoundError,
    AdsvcClient,
    AsyncAdsvcClient,
    BadRequestError,
    ForbiddenError,
    NoAnswerError,
    NotFoundError,
    NotModifiedError,
    ProblemError,
    ResponseInfo,
    Retries,
    ServiceUnavailableError,
    datetime_of,
    problems,
)
from adsvc_client._generated import models as generated
from adsvc_client.models import FaultDetail
from adsvc_client.problem_documents import problem_of
from bad_line import BadLine, free_port
from conftest import PASSWORD


def test_options_of_one_call_are_not_those_of_the_next(line: BadLine) -> None:
    with AdsvcClient(line.address, headers={"X-Shop": "one"}) as client:
        for _ in range(2):
            line.refuse("GET", "/ads", 503)
        with pytest.raises(ServiceUnavailableError):
            client.with_options(retries=Retries(attempts=1), headers={"X-Once": "yes"}).list_ads()
        client.list_ads()
    headers = [one.headers for one in line.requests("GET", "/ads")]
    assert [(one.get("X-Shop"), one.get("X-Once")) for one in headers] == [
        ("one", "yes"),
        ("one", None),
        ("one", None),
    ]


def test_a_call_with_a_short_timeout_ends(line: BadLine) -> None:
    arrived, go = threading.Event(), threading.Event()
    line.hold("GET", "/ads", arrived, go)
    with AdsvcClient(line.address) as client:
        hasty = client.with_options(timeout=0.05, retries=Retries(attempts=1))
        with pytest.raises(NoAnswerError) as ended:
            hasty.list_ads()
        go.set()
        assert isinstance(ended.value.__cause__, httpx2.ReadTimeout)
        client.list_ads()


def test_options_share_the_session(line: BadLine, name: str) -> None:
    with AdsvcClient(line.address) as client:
        client.register(username=name, password=PASSWORD)
        client.with_options(timeout=30).login(username=name, password=PASSWORD)
        assert client.get_me().email == name
        client.logout()
        assert not client.with_options(headers={}).logged_in


async def test_what_comes_along_with_data(service: str) -> None:
    seen: list[ResponseInfo] = []
    async with AsyncAdsvcClient(service) as client:
        await client.with_options(on_response=seen.append).is_alive()
        page = await client.list_ads()
    (alive,) = seen
    assert (alive.status, alive.headers["content-type"]) == (200, "application/json")
    assert alive.request_id
    assert (page.etag, page.response.status) == (page.response.headers["ETag"], 200)


def test_what_was_read_before_is_returned_when_it_is_still_the_same(
    line: BadLine, photo: Path, name: str
) -> None:
    seen: list[int] = []
    with AdsvcClient(line.address) as client:
        client.register(username=name, password=PASSWORD)
        client.login(username=name, password=PASSWORD)
        made = client.create_ad(title="A table", price=1, description="Solid oak.", images=[photo])
        ad = client.get_ad(made.pk)
        watching = client.with_options(on_response=lambda response: seen.append(response.status))
        assert watching.get_ad(ad.pk, if_none_match=ad) is ad
        assert ad.etag is not None
        with pytest.raises(NotModifiedError):
            watching.get_ad(ad.pk, if_none_match=ad.etag)
        client.update_ad(ad.pk, price=2)
        assert watching.get_ad(ad.pk, if_none_match=ad).price == 2
    assert seen == [304, 304, 200]


def test_refusals_are_classes_by_type_and_by_status(line: BadLine) -> None:
    with AdsvcClient(line.address) as client, pytest.raises(NotFoundError) as refused:
        client.get_ad_details(999_999_999)
    assert isinstance(refused.value, AdNotFoundError)
    assert refused.value.request_id
    assert refused.value.request_id in str(refused.value)
    line.refuse("GET", "/site", 403)
    with AdsvcClient(line.address) as client, pytest.raises(ForbiddenError) as forbidden:
        client.get_site()
    assert forbidden.value.type == "about:blank"
    for kind, made in problems.PROBLEM_TYPES.items():
        assert issubclass(made, ProblemError), kind
        assert any(issubclass(made, one) for one in problems.PROBLEM_STATUSES.values()), kind


def test_faults_are_records(service: str) -> None:
    with AdsvcClient(service) as client, pytest.raises(ProblemError) as refused:
        client.register(username="x", password=PASSWORD)
    (fault,) = refused.value.errors
    assert isinstance(fault, FaultDetail)
    assert (fault.code, fault.pointer, fault.min_length) == ("wrong-length", "/username", 4)


def test_no_refusal_is_lost_because_its_faults_are_odd() -> None:
    odd = [{"pointer": 5}, {"detail": None, "code": 7, "options": "x"}, "text", None, {}]
    document = {"type": "/problems#of-tomorrow", "status": 400, "detail": "No.", "errors": odd}
    error = problem_of(httpx2.Response(400, json=document))
    assert isinstance(error, BadRequestError)
    assert len(error.errors) == 3
    assert "400" in str(error)


def test_the_address_comes_from_the_environment(
    service: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ADSVC_BASE_URL", f"{service}/")
    with AdsvcClient() as client:
        assert client.is_alive().status == "ok"
    monkeypatch.setenv("ADSVC_BASE_URL", f"http://127.0.0.1:{free_port()}")
    with AdsvcClient(service) as client:
        assert client.is_alive().status == "ok"


def test_attempts_are_logged_without_secrets(
    line: BadLine, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, logger="adsvc_client")
    line.lose_answer("POST", "/register")
    with AdsvcClient(line.address) as client:
        client.register(username=name, password=PASSWORD)
        pair = client.login(username=name, password=PASSWORD)
        client.list_ads(q="something private")
        client.get_me()
    own = [one for one in caplog.records if one.name == "adsvc_client"]
    text = "\n".join(one.getMessage() for one in own)
    assert "register: POST /register, attempt 1: RemoteProtocolError" in text
    assert "register: POST /register, attempt 2: 201, request " in text
    assert "register is sent again in" in text
    for secret in (PASSWORD, pair.access_token, pair.refresh_token, "private", name):
        assert secret not in text
    assert {one.levelno for one in own} == {logging.DEBUG, logging.INFO}


def test_a_value_that_this_version_does_not_know_is_passed_on() -> None:
    """Enumerations in answers are open: a newer service has more roles and statuses."""
    checks = {
        name: getattr(module, name)
        for _, path, _ in pkgutil.iter_modules(generated.__path__, f"{generated.__name__}.")
        for module in [importlib.import_module(path)]
        for name in dir(module)
        if name.startswith("check_")
    }
    assert {"check_role", "check_ad_status", "check_fault_code"} <= set(checks)
    for name, check in checks.items():
        assert check("of-tomorrow") == "of-tomorrow", name


def test_the_key_of_the_environment_is_taken_without_other_credentials(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ADSVC_KEY", "adsvc_environment")
    for given, key in ((None, "adsvc_environment"), ("adsvc_own", "adsvc_own")):
        tokens = AdsvcClient(key=given)._session.tokens
        assert tokens is not None
        assert tokens.access == key
    tokens = AdsvcClient(refresh_token="r")._session.tokens
    assert tokens is not None
    assert tokens.refresh == "r"


def test_a_record_that_is_part_of_another_has_no_response_of_its_own() -> None:
    fault = FaultDetail(code="wrong-type", detail="must be text")
    assert fault.etag is None
    with pytest.raises(LookupError):
        _ = fault.response


def test_moments_become_datetimes() -> None:
    assert datetime_of(1_767_225_600_500).isoformat() == "2026-01-01T00:00:00.500000+00:00"
