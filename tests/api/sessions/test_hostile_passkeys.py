"""What no authenticator sends: CBOR that a decoder would work on for long, and long members."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import cbor2
import httpx2
import pytest

from support.outside.authenticator import Authenticator, decoded, encoded
from support.scene.api import Api, Person
from support.scene.factors import added, kind, options_to_add

OWN, LOGIN = "/users/me/passkeys", "/login/passkey"

# Every tag that cbor2 makes something of, with a content that it takes; and some that it does not
# know.
TAGS: Mapping[int, Any] = {
    0: "2026-11-27T12:00:00Z",
    1: 0,
    2: b"\x01\x00",
    3: b"\x01\x00",
    4: [-1, 15],
    5: [-1, 3],
    21: b"\x01",
    24: b"\x01",
    25: 0,
    28: [1],
    29: 0,
    30: [1, 2],
    32: "https://example.com/",
    35: "a",
    36: "Content-Type: text/plain\r\n\r\nHello",
    37: bytes(16),
    43: 1,
    52: b"\xc0\x00\x02\x01",
    54: bytes(16),
    100: 1,
    256: ["a", "b"],
    258: [1, 2],
    260: b"\xc0\x00\x02\x01",
    261: {b"\xc0\x00\x02\x00": 24},
    1004: "2026-11-27",
    43000: [1, 2],
    55799: 1,
    2**32: 1,
}
# A quarter of a second for each hundred bytes, if it is compiled.
SLOW = "(?i)" + "[Ā-\U0010ffff]" * 600
# Not of CTAP2's canonical form: indefinite lengths, longer forms than needed, floats, undefined,
# simple values, more members than there are, and nesting.
ODD: Mapping[str, bytes] = {
    "array without end": b"\x9f\x01\xff",
    "map without end": b"\xbf\x01\x02\xff",
    "text without end": b"\x7f\x61a\xff",
    "bytes without end": b"\x5f\x41a\xff",
    "longer form of a number": b"\x18\x01",
    "longest form of a number": b"\x1b" + bytes(7) + b"\x01",
    "longer form of a length": b"\x58\x01a",
    "half a number": b"\xf9\x3c\x00",
    "double": b"\xfb" + bytes(8),
    "undefined": b"\xf7",
    "simple value": b"\xf8\x20",
    "break": b"\xff",
    "reserved length": b"\x1c",
    "array of very many": b"\x9b" + b"\x7f" * 8,
    "text of very many": b"\x7a\x7f\xff\xff\xff",
    "deep arrays": b"\x81" * 3000 + b"\x01",
    "deep maps": b"\xa1\x01" * 1500 + b"\x01",
}


def member(value: bytes) -> bytes:
    """An extension with that value."""
    return b"\xa1\x61x" + value


async def registered(
    person: Person, authenticator: Authenticator, **members: object
) -> httpx2.Response:
    """With further members of the attestation object."""
    sent = authenticator.registration(await options_to_add(person))
    attestation = cbor2.loads(decoded(sent["response"]["attestationObject"]))
    attestation |= members
    sent["response"]["attestationObject"] = encoded(cbor2.dumps(attestation))
    return await person.post(OWN, json=sent)


async def entered(api: Api, authenticator: Authenticator) -> httpx2.Response:
    options = (await api.client.post(f"{LOGIN}/options")).json()
    return await api.client.post(LOGIN, json=authenticator.login(options))


@pytest.mark.heavy
async def test_tags_are_refused_wherever_they_are(api: Api) -> None:
    person = await api.person()
    good = await added(person)
    taken = []
    for tag, content in {**TAGS, 35: SLOW}.items():
        tagged = cbor2.CBORTag(tag, content)
        extension = member(cbor2.dumps(tagged))
        answers = {
            "attestation": await registered(person, Authenticator(), x=tagged),
            "statement": await registered(person, Authenticator(), attStmt={"x": [tagged]}),
            "extension": await registered(person, Authenticator(extensions=extension)),
            "login": await entered(api, replace(good, extensions=extension)),
        }
        refused = {"login": (401, "wrong-factor")}
        taken += [
            (tag, where, answer.status_code)
            for where, answer in answers.items()
            if answer.status_code < 400
            or (answer.status_code, kind(answer)) != refused.get(where, (400, "invalid-passkey"))
        ]
    assert not taken


@pytest.mark.heavy
async def test_what_is_not_canonical_is_refused(api: Api) -> None:
    person = await api.person()
    good = await added(person)
    for name, value in ODD.items():
        odd = Authenticator(extensions=member(value))
        assert kind(await registered(person, odd)) == "invalid-passkey", name
        answer = await entered(api, replace(good, extensions=member(value)))
        assert (answer.status_code, kind(answer)) == (401, "wrong-factor"), name
        sent = Authenticator().registration(await options_to_add(person))
        sent["response"]["attestationObject"] = encoded(value)
        assert kind(await person.post(OWN, json=sent)) == "invalid-passkey", name


@pytest.mark.heavy
async def test_extensions_that_authenticators_send_are_taken(api: Api) -> None:
    """credProtect, the results of hmac-secret, methods of verification, and the least PIN."""
    output = {
        "credProtect": 3, "hmac-secret": True, "minPinLength": 4, "x": None,
        "uvm": [[2, 4, 2], [70000, 2**40, -1]], "hmac": bytes(80), "text": "ü" * 300,
    }  # fmt: skip
    person = await api.person()
    authenticator = await added(person, Authenticator(extensions=cbor2.dumps(output)))
    answer = await entered(api, authenticator)
    assert answer.status_code == 200, answer.text


@pytest.mark.guard
async def test_a_key_with_a_tag_from_before_logs_nobody_in(api: Api) -> None:
    authenticator = await added(await api.person())
    [key] = await api.sql("SELECT public_key FROM passkeys")
    tagged = cbor2.dumps(cbor2.loads(key) | {"x": cbor2.CBORTag(35, SLOW)})
    await api.sql("UPDATE passkeys SET public_key = :key", key=tagged)
    answer = await entered(api, authenticator)
    assert (answer.status_code, kind(answer)) == (401, "wrong-factor")


Member = Callable[[dict[str, Any], str], None]


def at(*path: str) -> Member:
    def put(sent: dict[str, Any], text: str) -> None:
        *above, last = path
        for name in above:
            sent = sent[name]
        sent[last] = text

    return put


ADDING = {
    "id": (at("id"), 1364),
    "rawId": (at("rawId"), 1364),
    "clientDataJSON": (at("response", "clientDataJSON"), 4096),
    "attestationObject": (at("response", "attestationObject"), 16384),
}
ENTERING = {
    "id": (at("id"), 1364),
    "rawId": (at("rawId"), 1364),
    "clientDataJSON": (at("response", "clientDataJSON"), 4096),
    "authenticatorData": (at("response", "authenticatorData"), 8192),
    "signature": (at("response", "signature"), 8192),
    "userHandle": (at("response", "userHandle"), 88),
}


@pytest.mark.heavy
async def test_members_are_refused_beyond_their_maximum_and_harmless_at_it(api: Api) -> None:
    person = await api.person()
    good = await added(person)
    # Nested arrays, in JSON and in CBOR.
    for filling in ("W1tb", "gYGB", "____"):
        for name, (put, most) in ADDING.items():
            sent = Authenticator().registration(await options_to_add(person))
            put(sent, (filling * most)[:most])
            answer = await person.post(OWN, json=sent)
            assert (answer.status_code, kind(answer)) == (400, "invalid-passkey"), name
            put(sent, "A" * (most + 1))
            answer = await person.post(OWN, json=sent)
            assert (answer.status_code, kind(answer)) == (400, "invalid-request"), name
        for name, (put, most) in ENTERING.items():
            options = (await api.client.post(f"{LOGIN}/options")).json()
            sent = good.login(options)
            put(sent, (filling * most)[:most])
            assert (await api.client.post(LOGIN, json=sent)).status_code == 401, name
            put(sent, "A" * (most + 1))
            answer = await api.client.post(LOGIN, json=sent)
            assert (answer.status_code, kind(answer)) == (400, "invalid-request"), name
