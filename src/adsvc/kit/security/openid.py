"""OpenID Connect Core 1.0: the authorization code flow with PKCE (RFC 7636), by discovery.

What providers send is checked here; accounts are not known here.
"""

import asyncio
import base64
import hashlib
import hmac
import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import quote_plus, urlencode, urlsplit

import jwt

from adsvc.kit.errors import AdsvcError
from adsvc.kit.http.outbound import (
    ForbiddenAddressError,
    UnreachableError,
    checked_url,
    host_of,
    literal_address,
    networks_of,
)
from adsvc.kit.invalidation import LruCache, SharedValue

if TYPE_CHECKING:
    from adsvc.kit.http.outbound_client import OutboundClient

# Signatures by keys that only the provider has: never those by the client's secret, nor none.
ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA")
# Members of a key that are the provider's alone (RFC 7518 §6). With `d` alone, PyJWT looks for the
# factors of an RSA key, which takes a fifth of a second.
PRIVATE = frozenset({"d", "p", "q", "dp", "dq", "qi", "oth"})
LOOPBACK = ("127.0.0.0/8", "::1/128")
# OpenID Connect Core 1.0 §2.
SUBJECT_MAX_LENGTH = 255
# Of one answer.
SECONDS, MOST_BYTES = 10.0, 256 * 1024
METADATA_SECONDS = 300.0
MOST_ISSUERS = 64
CLOCK_SKEW_SECONDS = 60


class ProviderError(AdsvcError):
    """The provider cannot be reached, or what it sent is not valid. The message says why."""


@dataclass(frozen=True, slots=True)
class ProviderClient:
    """The site, as it is registered at a provider."""

    issuer: str
    id: str
    secret: str
    redirect_uri: str


@dataclass(frozen=True, slots=True)
class Secrets:
    """Of one login: only the browser that began it has them."""

    state: str
    nonce: str
    verifier: str

    @classmethod
    def new(cls) -> Self:
        return cls(*(secrets.token_urlsafe(32) for _ in range(3)))


@dataclass(frozen=True, slots=True)
class Person:
    """A person as the provider knows them. `mail` is only theirs if it `is_verified`."""

    subject: str
    mail: str | None
    is_verified: bool


def checked_issuer(text: str, *, allows_loopback: bool) -> str:
    """`ForbiddenAddressError` unless it is `https`; or `http` of this machine, where allowed."""
    url = checked_url(text, networks_of(LOOPBACK) if allows_loopback else ())
    host = literal_address(host_of(url))
    is_here = host_of(url) == "localhost" or (host is not None and host.is_loopback)
    if url.scheme != "https" and not is_here:
        raise ForbiddenAddressError("must begin with https://")
    if url.query is not None:
        raise ForbiddenAddressError("must have no query")
    return text


class OpenId:
    """Talks to providers. Each method raises a `ProviderError`."""

    def __init__(self, *, allows_loopback: bool) -> None:
        self._allows_loopback = allows_loopback
        self._outbound: OutboundClient | None = None
        self._metadata: LruCache[str, SharedValue[Mapping[str, Any]]] = LruCache(MOST_ISSUERS)

    async def authorization_url(self, client: ProviderClient, own: Secrets) -> str:
        """Where the browser goes."""
        endpoint = _text(await self._known(client.issuer), "authorization_endpoint")
        challenge = hashlib.sha256(own.verifier.encode()).digest()
        parameters = {
            "response_type": "code",
            "client_id": client.id,
            "redirect_uri": client.redirect_uri,
            "scope": "openid email",
            "state": own.state,
            "nonce": own.nonce,
            "code_challenge": base64.urlsafe_b64encode(challenge).rstrip(b"=").decode(),
            "code_challenge_method": "S256",
        }
        self._check(endpoint)
        return f"{endpoint}{'&' if urlsplit(endpoint).query else '?'}{urlencode(parameters)}"

    async def person(
        self, client: ProviderClient, own: Secrets, answer: Mapping[str, str]
    ) -> Person:
        """Whose login it was. `answer` is the query with which the browser came back."""
        metadata = await self._known(client.issuer)
        if not hmac.compare_digest(answer.get("state", "").encode(), own.state.encode()):
            raise ProviderError("The state is that of another login.")
        # RFC 9207: the answer of another provider must not get this one's code.
        is_named = metadata.get("authorization_response_iss_parameter_supported") is True
        if answer.get("iss", None if is_named else client.issuer) != client.issuer:
            raise ProviderError("Another provider has answered.")
        if "code" not in answer:
            raise ProviderError("The provider sent no code.")
        tokens = await self._tokens(metadata, client, own, answer["code"])
        claims = await self._claims(metadata, client, own, _text(tokens, "id_token"))
        if "email" not in claims and "userinfo_endpoint" in metadata:
            headers = {"Authorization": f"Bearer {_text(tokens, 'access_token')}"}
            found = await self._json(_text(metadata, "userinfo_endpoint"), None, headers)
            if found.get("sub") != claims["sub"]:
                raise ProviderError("The answer is about another person.")
            claims = {**found, **claims}
        mail = claims.get("email")
        is_mail = isinstance(mail, str)
        verified = claims.get("email_verified") is True
        return Person(claims["sub"], mail if is_mail else None, is_mail and verified)

    async def _tokens(
        self, metadata: Mapping[str, Any], client: ProviderClient, own: Secrets, code: str
    ) -> Mapping[str, Any]:
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": client.redirect_uri,
            "code_verifier": own.verifier,
        }
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        methods = metadata.get("token_endpoint_auth_methods_supported", ["client_secret_basic"])
        if "client_secret_basic" in methods:
            pair = f"{quote_plus(client.id)}:{quote_plus(client.secret)}".encode()
            headers["Authorization"] = f"Basic {base64.b64encode(pair).decode()}"
        else:
            form |= {"client_id": client.id, "client_secret": client.secret}
        return await self._json(
            _text(metadata, "token_endpoint"), urlencode(form).encode(), headers
        )

    async def _claims(
        self, metadata: Mapping[str, Any], client: ProviderClient, own: Secrets, token: str
    ) -> dict[str, Any]:
        """Of an ID token (§3.1.3.7). The keys are read at each login, so they may change."""
        found = await self._json(_text(metadata, "jwks_uri"))
        try:
            key_id = jwt.get_unverified_header(token).get("kid")
            public = [
                {name: each[name] for name in each if name not in PRIVATE} for each in found["keys"]
            ]
            keys = jwt.PyJWKSet.from_dict({"keys": public}).keys
            [key] = [key for key in keys if key_id is None or key.key_id == key_id]
            claims: dict[str, Any] = jwt.decode(
                token,
                key,
                algorithms=ALGORITHMS,
                audience=client.id,
                issuer=client.issuer,
                leeway=CLOCK_SKEW_SECONDS,
                options={"require": ["iss", "sub", "aud", "exp", "iat", "nonce"]},
            )
        except (jwt.PyJWTError, LookupError, ValueError, TypeError, RecursionError) as error:
            reason = f"The ID token is not valid: {type(error).__name__}."
            raise ProviderError(reason) from error
        if not hmac.compare_digest(str(claims["nonce"]).encode(), own.nonce.encode()):
            raise ProviderError("The ID token is that of another login.")
        others = claims["aud"] if isinstance(claims["aud"], list) else [claims["aud"]]
        if claims.get("azp", client.id if len(others) == 1 else None) != client.id:
            raise ProviderError("The ID token is for another client.")
        if not 0 < len(claims["sub"]) <= SUBJECT_MAX_LENGTH:
            raise ProviderError("The ID token names no person.")
        return claims

    async def _known(self, issuer: str) -> Mapping[str, Any]:
        """The provider's metadata (OpenID Connect Discovery 1.0 §4)."""
        shared = self._metadata.get(issuer)
        if shared is None:

            async def look() -> Mapping[str, Any]:
                address = f"{issuer.removesuffix('/')}/.well-known/openid-configuration"
                found = await self._json(address)
                if found.get("issuer") != issuer:
                    raise ProviderError("The metadata are those of another provider.")
                return found

            shared = SharedValue(look, lambda _: METADATA_SECONDS)
            self._metadata.keep(issuer, shared)
        return await shared.get()

    async def _json(
        self, address: str, content: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> Mapping[str, Any]:
        self._check(address)
        every = {"Accept": "application/json", **(headers or {})}
        if self._outbound is None:
            # In a thread: the import takes longer than a request may hold the event loop.
            exceptions = LOOPBACK if self._allows_loopback else ()
            self._outbound = await asyncio.to_thread(_new_outbound, exceptions)
        try:
            answer = await self._outbound.request(
                address, content, every, seconds=SECONDS, max_bytes=MOST_BYTES
            )
            found = json.loads(answer.body)
        except (ForbiddenAddressError, UnreachableError) as error:
            raise ProviderError(f"{address}: {error}") from error
        except (ValueError, RecursionError) as error:
            raise ProviderError(f"{address} sent no JSON.") from error
        if answer.status != HTTPStatus.OK or not isinstance(found, dict):
            raise ProviderError(f"{address} answered {answer.status}.")
        return found

    def _check(self, address: str) -> None:
        try:
            checked_issuer(address.partition("?")[0], allows_loopback=self._allows_loopback)
        except ForbiddenAddressError as error:
            raise ProviderError(f"{address}: {error}") from error


def _new_outbound(exceptions: Sequence[str]) -> "OutboundClient":
    from adsvc.kit.http.outbound_client import OutboundClient  # noqa: PLC0415 - takes memory

    return OutboundClient(exceptions)


def _text(members: Mapping[str, Any], name: str) -> str:
    found = members.get(name)
    if not isinstance(found, str):
        raise ProviderError(f"The provider sent no {name}.")
    return found
