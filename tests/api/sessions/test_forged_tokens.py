"""Row 9 of docs/reliability.md: forged, expired and foreign tokens are refused."""

import base64
import hmac
import json
import time
from collections.abc import Callable
from typing import Any

import jwt
import pytest

from support.scene.api import Api, Person
from support.scene.snapshots import snapshot

Forgery = Callable[[Api, Person], str]
KIND = {"typ": "at+jwt"}


def secret_of(api: Api) -> str:
    return api.state.settings.required_jwt_secret()


def claims_of(api: Api, person: Person) -> dict[str, Any]:
    claims: dict[str, Any] = jwt.decode(person.token, secret_of(api), ["HS256"], audience="adsvc")
    return claims


def with_claims(**changes: object) -> Forgery:
    """Signed as the service signs, with claims changed; None takes one away."""

    def make(api: Api, person: Person) -> str:
        claims = {**claims_of(api, person), **changes}
        kept = {name: value for name, value in claims.items() if value is not None}
        return signed({"alg": "HS256", **KIND}, kept, secret_of(api))

    return make


def with_header(**changes: object) -> Forgery:
    def make(api: Api, person: Person) -> str:
        header = {"alg": "HS256", **KIND, **changes}
        kept = {name: value for name, value in header.items() if value is not None}
        return signed(kept, claims_of(api, person), secret_of(api))

    return make


def text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def signed(header: object, claims: object, secret: str, digest: str = "sha256") -> str:
    """Any header and claims, also such as PyJWT would not sign."""
    parts = [text(json.dumps(part).encode()) for part in (header, claims)]
    signature = hmac.digest(secret.encode(), ".".join(parts).encode(), digest)
    return ".".join([*parts, text(signature)])


def unsigned(algorithm: str) -> Forgery:
    def make(api: Api, person: Person) -> str:
        header = {"alg": algorithm, **KIND}
        parts = [text(json.dumps(part).encode()) for part in (header, claims_of(api, person))]
        return ".".join([*parts, ""])

    return make


def flipped(part: int, position: int) -> Forgery:
    def make(_: Api, person: Person) -> str:
        parts = person.token.split(".")
        raw = bytearray(base64.urlsafe_b64decode(parts[part] + "=="))
        raw[position] ^= 1
        parts[part] = text(bytes(raw))
        return ".".join(parts)

    return make


def nested_header(_: Api, person: Person) -> str:
    claims, signature = person.token.split(".")[1:]
    header = b'{"alg": "HS256", "typ": ' + b"[" * 1000 + b"]" * 1000 + b"}"
    return ".".join([text(header), claims, signature])


FORGERIES: dict[str, Forgery] = {
    "alg none": unsigned("none"),
    "alg NONE": unsigned("NONE"),
    "no alg": with_header(alg=None),
    "alg HS384": lambda api, person: signed(
        {"alg": "HS384", **KIND}, claims_of(api, person), secret_of(api), "sha384"
    ),
    "alg HS512": lambda api, person: signed(
        {"alg": "HS512", **KIND}, claims_of(api, person), secret_of(api), "sha512"
    ),
    "alg RS256": with_header(alg="RS256"),
    "alg of no name": with_header(alg=["HS256"]),
    "another key": lambda api, person: signed(
        {"alg": "HS256", **KIND}, claims_of(api, person), secret_of(api)[::-1]
    ),
    "the empty key": lambda api, person: signed(
        {"alg": "HS256", **KIND}, claims_of(api, person), ""
    ),
    "a key of the token's own": with_header(
        alg="HS512", jwk={"kty": "oct", "k": ""}, kid="/dev/null"
    ),
    **{f"bit flip in part {part}": flipped(part, -1) for part in range(3)},
    **{f"bit flip at the start of part {part}": flipped(part, 0) for part in range(3)},
    "expired": with_claims(exp=int(time.time()) - 1),
    "expired long ago": with_claims(iat=0, exp=900),
    "no expiry": with_claims(exp=None),
    "an expiry of text": with_claims(exp="tomorrow"),
    "an infinite expiry": with_claims(exp=float("inf")),
    "not yet valid": with_claims(nbf=int(time.time()) + 3600),
    "not yet valid, though issued": with_claims(iat=0, nbf=int(time.time()) + 7200),
    "no time of issue": with_claims(iat=None),
    "no issuer": with_claims(iss=None),
    "another issuer": with_claims(iss="https://login.example.com"),
    "no audience": with_claims(aud=None),
    "another audience": with_claims(aud="billing"),
    "no subject": with_claims(sub=None),
    "a number for a subject": with_claims(sub=1),
    **{
        f"subject {subject}": with_claims(sub=subject)
        for subject in (
            "",
            "0",
            "-1",
            "anna",
            "1 OR 1=1",
            "1.0",
            "999999",
            str(2**63),
            "9" * 30,
            "²",
        )
    },
    "no kind": with_header(typ=None),
    "a plain JWT": with_header(typ="JWT"),
    "a kind of refresh token": with_header(typ="rt+jwt"),
    "a critical extension": with_header(crit=["exp"]),
    "not a JWT": lambda *_: "a.b.c",
    "an opaque token": lambda *_: "x" * 43,
    "two dots": lambda *_: "..",
    "not ASCII": lambda *_: "é.ü.ñ",
    "a header that is a list": lambda api, person: signed(
        ["HS256"], claims_of(api, person), secret_of(api)
    ),
    "claims that are a list": lambda api, _: signed({"alg": "HS256", **KIND}, [1], secret_of(api)),
    "60 kB": lambda _, person: person.token + "A" * 60_000,
    "60 kB of header": with_header(x="a" * 60_000),
    "a header nested 1,000 deep": nested_header,
}


@pytest.mark.heavy
async def test_a_token_that_is_not_in_order_counts_for_nothing(api: Api) -> None:
    person = await api.person()
    await person.post_ad()
    before = await snapshot(api)
    for name, forge in FORGERIES.items():
        headers = [(b"Authorization", f"Bearer {forge(api, person)}".encode())]
        for method, path in (("GET", "/ads/me"), ("DELETE", "/ads/1"), ("PATCH", "/ads/1/image")):
            answer = await api.client.request(method, path, headers=headers)
            assert answer.status_code == 401, name
            challenge = 'Bearer realm="adsvc", error="invalid_token"'
            assert answer.headers["WWW-Authenticate"] == challenge
    assert await snapshot(api) == before


async def test_a_token_that_is_made_as_the_service_makes_it_counts(api: Api) -> None:
    """Shows that the forgeries above fail for what is wrong with them."""
    person = await api.person()
    for make in (with_claims(), with_header(), with_claims(nbf=0, extra=1)):
        person.token = make(api, person)
        assert (await person.get("/ads/me")).status_code == 200


@pytest.mark.parametrize(
    "form", ["Bearer  {}", "Token {}", "Basic {}", "{}", "Bearer", 'Bearer "{}"', "Bearer {},"]
)
async def test_a_token_in_another_form_counts_for_nothing(api: Api, form: str) -> None:
    person = await api.person()
    answer = await api.client.get("/ads/me", headers={"Authorization": form.format(person.token)})
    assert answer.status_code == (200 if form == "Bearer  {}" else 401)


async def test_the_scheme_s_case_does_not_matter(api: Api) -> None:
    person = await api.person()
    headers = {"Authorization": f"bEARER {person.token}"}
    assert (await api.client.get("/ads/me", headers=headers)).status_code == 200


@pytest.mark.heavy
async def test_machines_may_disagree_about_the_time(api: Api) -> None:
    person = await api.person()
    ad = (await person.post_ad())["pk"]
    now = int(time.time())
    for name, make, status in (
        ("issued by a clock that is ahead", with_claims(iat=now + 5, exp=now + 900), 200),
        ("valid from a clock that is ahead", with_claims(nbf=now + 5), 200),
        ("issued before the clock was set back an hour", with_claims(iat=now + 3600), 200),
        ("expired a moment ago", with_claims(exp=now), 401),
    ):
        headers = {"Authorization": f"Bearer {make(api, person)}"}
        # The same everywhere: some operations look the caller up, others know the token by then.
        for path in ("/users/me", f"/ads/{ad}", f"/ads/{ad}", "/ads/me", f"/ads/{ad}/comments"):
            answer = await api.client.get(path, headers=headers)
            assert answer.status_code == status, name
