"""A small OpenID provider on this machine, with keys of its own: discovery, code flow, PKCE."""

import base64
import hashlib
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qs, unquote_plus, urlencode

import jwt
from cryptography.hazmat.primitives.asymmetric import ec
from jwt.algorithms import ECAlgorithm
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from support.running.processes import free_port
from support.running.threads import served

CLIENT_ID, CLIENT_SECRET = "ads & co", "s3cret/+"
Claims = dict[str, Any]


class OpenIdProvider:
    """What it says of the person who is signed in there, and how, a test may change."""

    def __init__(self, port: int) -> None:
        self.issuer = f"http://127.0.0.1:{port}"
        self.person: Claims = {"sub": "1"}
        # Claims that only the userinfo endpoint has.
        self.userinfo: Claims = {}
        self.metadata: Claims = {}
        # What is signed in the end.
        self.signed: Callable[[Claims], Claims] = lambda claims: claims
        self.signs_by_another_key = False
        self.other_keys: list[Claims] = []
        self.encode = self._encode
        # Of the redirect back.
        self.answered: Callable[[Claims], Claims] = lambda parameters: parameters
        self.requests: list[str] = []
        self._codes: dict[str, Claims] = {}
        self.rotate()
        paths = {
            "/.well-known/openid-configuration": self._discovery,
            "/authorize": self._authorize,
            "/keys": self._keys,
            "/userinfo": self._userinfo,
        }
        routes = [Route(path, answer) for path, answer in paths.items()]
        self.app = Starlette(routes=[*routes, Route("/token", self._token, methods=["POST"])])

    def rotate(self) -> None:
        """Another key takes the place of the one before."""
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.key_id = secrets.token_hex(4)

    async def _discovery(self, _: Request) -> Response:
        names = ("authorization_endpoint", "token_endpoint", "userinfo_endpoint", "jwks_uri")
        paths = ("authorize", "token", "userinfo", "keys")
        endpoints = {name: f"{self.issuer}/{path}" for name, path in zip(names, paths, strict=True)}
        known = {"issuer": self.issuer, "authorization_response_iss_parameter_supported": True}
        return JSONResponse({**known, **endpoints, **self.metadata})

    async def _keys(self, _: Request) -> Response:
        public = ECAlgorithm.to_jwk(self.key.public_key(), as_dict=True)
        own = {**public, "kid": self.key_id, "use": "sig"}
        return JSONResponse({"keys": [*self.other_keys, own]})

    async def _authorize(self, request: Request) -> Response:
        requested = dict(request.query_params)
        assert requested["client_id"] == CLIENT_ID
        assert (requested["response_type"], requested["code_challenge_method"]) == ("code", "S256")
        assert "openid" in requested["scope"].split()
        code = secrets.token_urlsafe()
        self._codes[code] = requested
        parameters = {"code": code, "state": requested["state"], "iss": self.issuer}
        return RedirectResponse(
            f"{requested['redirect_uri']}?{urlencode(self.answered(parameters))}"
        )

    async def _token(self, request: Request) -> Response:
        form = {name: value for name, [value] in parse_qs((await request.body()).decode()).items()}
        self.requests.append(form["code"])
        pair = base64.b64decode(request.headers["authorization"].removeprefix("Basic ")).decode()
        assert tuple(map(unquote_plus, pair.split(":"))) == (CLIENT_ID, CLIENT_SECRET)
        requested = self._codes.pop(form["code"], None)
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        proof = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        if requested is None or (proof, form["redirect_uri"]) != (
            requested["code_challenge"],
            requested["redirect_uri"],
        ):
            return JSONResponse({"error": "invalid_grant"}, 400)
        now = int(time.time())
        claims = {
            "iss": self.issuer,
            "aud": CLIENT_ID,
            "nonce": requested["nonce"],
            "iat": now,
            "exp": now + 300,
            **self.person,
        }
        token = self.encode(self.signed(claims))
        return JSONResponse({"access_token": "a", "token_type": "Bearer", "id_token": token})

    def _encode(self, claims: Claims) -> str:
        key = ec.generate_private_key(ec.SECP256R1()) if self.signs_by_another_key else self.key
        return jwt.encode(claims, key, algorithm="ES256", headers={"kid": self.key_id})

    async def _userinfo(self, request: Request) -> Response:
        assert request.headers["authorization"] == "Bearer a"
        return JSONResponse({"sub": self.person["sub"], **self.userinfo})


@contextmanager
def openid_provider() -> Iterator[OpenIdProvider]:
    provider = OpenIdProvider(port := free_port())
    with served(provider.app, port, "openid"):
        yield provider
