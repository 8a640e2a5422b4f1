"""Checks answers against the OpenAPI document: every answer of every test in this process."""

import re
import uuid
from typing import Any
from urllib.parse import unquote

import httpx2
from jsonschema_rs import Draft202012Validator

from support.contract.documents import resolved

PROBLEM_JSON = "application/problem+json"
# Their refusals have the format of RFC 6749.
OAUTH_PATHS = ("/token", "/revoke")
PAGES = re.compile(r"/([ac]|seller)/")
# Programs send a POST to it; where there is a storefront, people open a page.
PAGES_AND_OPERATIONS = {"/unsubscribe", "/setup"}
METHODS = ("get", "post", "put", "patch", "delete")


class Conformity:
    def __init__(self, document: dict[str, Any]) -> None:
        self._document = document
        # Names before parameters, so that `/ads/me` is not taken for `/ads/{id}`.
        paths = sorted(document["paths"], key=lambda path: path.count("{"))
        self._paths = [(re.compile(re.sub(r"\{.+?\}", "[^/]+", path)), path) for path in paths]
        self._validators: dict[str, Any] = {}

    async def check(self, response: httpx2.Response) -> None:
        """An event hook for httpx2."""
        if response.request.method == "OPTIONS" and response.status_code == 204:
            # A preflight, which belongs to no operation.
            return
        await response.aread()
        self._check_everywhere(response)
        if "Access-Control-Request-Method" in response.request.headers:
            # A preflight asks about operations and is none.
            return
        operations = self._operations(response.request)
        if operations is None:
            return
        method = response.request.method.lower()
        operation = operations.get("get" if method == "head" else method)
        where = f"{response.request.method} {response.request.url.path}: {response.status_code}"
        if operation is None:
            if response.request.url.path in PAGES_AND_OPERATIONS:
                return
            assert response.status_code == 405, where
            allowed = {name.upper() for name in METHODS if name in operations}
            allowed |= {"HEAD"} & {"HEAD" for name in allowed if name == "GET"}
            assert set(response.headers["Allow"].split(", ")) == allowed, where
            return
        listed = operation["responses"].get(str(response.status_code))
        assert listed is not None, f"{where} is not documented"
        documented = resolved(self._document, listed)
        self._check_content(response, documented, where)

    @staticmethod
    def _check_everywhere(response: httpx2.Response) -> None:
        request_id = response.headers["X-Request-Id"]
        assert uuid.UUID(request_id).version == 4
        if response.status_code == 204:
            assert not {"content-type", "content-length"} & response.headers.keys()
        if response.status_code < 400:
            return
        assert response.headers["Cache-Control"] == "no-store"
        if response.headers["Content-Type"].startswith("text/html"):
            # A page of the storefront, for people.
            page = PAGES.match(response.request.url.path)
            assert page or "text/html" in response.request.headers["Accept"], response.request
            return
        oauth = response.request.url.path in OAUTH_PATHS and response.status_code == 400
        if oauth:
            assert set(response.json()) == {"error", "error_description"}
            return
        assert response.headers["Content-Type"] == PROBLEM_JSON
        if response.request.method != "HEAD":
            problem = response.json()
            assert problem["status"] == response.status_code
            assert problem["instance"] == f"urn:uuid:{request_id}"
            assert ("errors" in problem) == (response.status_code == 400)
            assert problem["type"].startswith("/problems#")

    def _operations(self, request: httpx2.Request) -> dict[str, Any] | None:
        path = unquote(request.url.raw_path.decode().partition("?")[0])
        for pattern, template in self._paths:
            if pattern.fullmatch(path):
                operations: dict[str, Any] = self._document["paths"][template]
                return operations
        return None

    def _check_content(
        self, response: httpx2.Response, documented: dict[str, Any], where: str
    ) -> None:
        for name, header in documented["headers"].items():
            # Of a refusal, what its status calls for, unless it says otherwise there.
            always = "required" in resolved(self._document, header) or (
                response.is_error and "$ref" in header
            )
            assert name in response.headers or not always, f"{where} lacks {name}"
        content = documented.get("content", {})
        if not content:
            assert response.content == b"", where
            return
        media_type = response.headers["Content-Type"].partition(";")[0]
        assert media_type in content, f"{where} is of type {media_type}"
        if media_type.endswith("json") and response.request.method != "HEAD":
            self._validator(content[media_type]["schema"]).validate(response.json())

    def _validator(self, schema: dict[str, Any]) -> Any:
        key = str(schema)
        if key not in self._validators:
            components = {"components": self._document["components"]}
            self._validators[key] = Draft202012Validator({**schema, **components})
        return self._validators[key]
