"""What has to exist before a sample of the document can run as it stands."""

import asyncio
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from typing import Any

import asyncpg
import httpx

from adsvc.models import TokenPurpose
from adsvc.security.credentials import LinkToken
from adsvc.settings import Settings
from adsvc_ops.samples import call_of
from support.contract.documents import Json
from support.pictures import samples as pictures
from support.scene.api import ad_form

# As the examples have them.
USERNAME, PASSWORD, NEW_PASSWORD = (
    "anna@example.com",
    "correct horse battery",
    "another horse, another staple",
)

ADMIN, MODERATOR = "admin@example.com", "moderator@example.com"

# The step that an ad has to have taken before another one is possible.
BEFORE = {"releaseAd": "reserve"}


# Those that only administrators, or moderators too, may ask for.
ADMINISTRATION = re.compile("Categor|Case|User|undoDecision|Webhook|Deliver|Event")
WEBHOOKS = re.compile("Webhook|Deliver")

# What the id of the path is, of operations about what was reported.
ORDER = {
    **dict.fromkeys(("listCases", "getCase", "decideCase"), "case"),
    **dict.fromkeys(("getUser", "suspendUser", "restoreUser"), "user"),
    **dict.fromkeys(("undoDecision", "listMyDecisions", "appealDecision"), "decision"),
}


# What links in mails carry, as the examples have it.
LINK_TOKEN = LinkToken("sD1cFW0Fhcp8Zb5gq2mVt7K4bQ0mXyWn1uJ9oRk3eTA")
PURPOSES = {"verifyMail": TokenPurpose.VERIFY, "resetPassword": TokenPurpose.RESET}


@dataclass(frozen=True)
class Scene:
    """Whose sample it is, and what its path names."""

    username: str
    password: str
    # None where the account is still to be made.
    token: str | None
    values: dict[str, Any]

    def in_place(self, sample: str) -> str:
        """With the pictures that the ad has instead of those of the example."""
        [first, second] = self.values["images"]
        return sample.replace("18, 17", f"{second}, {first}")


class Stage:
    def __init__(self, url: str, settings: Settings) -> None:
        self._http = httpx.Client(base_url=url, timeout=30)
        self._settings = settings

    def close(self) -> None:
        self._http.close()

    def build(self) -> None:
        """Categories, an administrator and a moderator."""
        self._operate("categories", "load", "--starter")
        for username, role in ((ADMIN, "admin"), (MODERATOR, "moderator")):
            self._register(username)
            self._operate("users", "promote", username, "--role", role)

    def _operate(self, *command: str) -> None:
        environment = {**os.environ, **self._settings.to_environment()}
        arguments = [sys.executable, "-m", "adsvc", *command]
        subprocess.run(arguments, env=environment, capture_output=True, check=True)

    def prepare(self, document: Json, path: str, operation_id: str) -> Scene:
        """The example's account as if it were new, with an ad that has two pictures.

        What else the path names, or lists, is created by its `POST` with the example's body.
        """
        self._restore_account()
        self._remove_account()
        self._register(USERNAME)
        if operation_id in PURPOSES:
            asyncio.run(self._add_link(PURPOSES[operation_id]))
        username = ADMIN if ADMINISTRATION.search(operation_id) else USERNAME
        headers = self._headers(username)
        token: str | None = headers["Authorization"].split()[1]
        # Neither one's own ad is reported, nor is it a favorite.
        of_others = operation_id.startswith("report") or operation_id.endswith("Favorite")
        author = ADMIN if of_others else USERNAME
        values = self._ad(operation_id, self._headers(author))
        values |= self._order(operation_id, values["id"])
        owner = ADMIN if of_others else username
        self._create_named(document, path, values, self._headers(owner))
        if WEBHOOKS.search(operation_id):
            values |= self._webhook(headers)
        # An earlier sample may have deleted the category.
        if "Categor" in operation_id:
            definition = {"parent": "home", "name": "Furniture"}
            self._done(self._http.put("/categories/furniture", json=definition, headers=headers))
        sessions = self._done(self._http.get("/users/me/sessions", headers=headers)).json()
        if operation_id == "endMySession":
            values["id"] = sessions["results"][0]["id"]
        if operation_id == "register":
            self._remove_account()
            token = None
        return Scene(username, PASSWORD, token, values)

    def _ad(self, operation_id: str, headers: dict[str, str]) -> dict[str, Any]:
        parts = [("image", ("a.jpg", pictures.jpeg(), "image/jpeg"))] * 2
        status = "draft" if operation_id == "publishAd" else "active"
        properties = ad_form(status=status)["properties"]
        form: Any = [("properties", properties), *parts]
        ad = self._done(self._http.post("/ads", files=form, headers=headers)).json()
        path = f"/ads/{ad['pk']}"
        values = {"id": ad["pk"], "adId": ad["pk"], "name": ad["image"].rpartition("/")[2]}
        if operation_id in BEFORE:
            self._done(self._http.post(f"{path}/{BEFORE[operation_id]}", headers=headers))
        told = self._done(self._http.get(path, headers=headers)).json()
        values["images"] = [image["id"] for image in told["images"]]
        values["imageId"] = values["images"][0]
        return values

    def _create_named(
        self, document: Json, path: str, values: dict[str, Any], headers: dict[str, str]
    ) -> None:
        *named, rest = re.split(r"/\{(\w+)\}", path)
        collection = ""
        for part, name in zip(named[::2], named[1::2], strict=True):
            collection += part
            self._create_in(document, collection, name, values, headers)
            collection += f"/{{{name}}}"
        self._create_in(document, collection + rest, "", values, headers)

    def _create_in(
        self, document: Json, collection: str, name: str, values: dict[str, Any],
        headers: dict[str, str],
    ) -> None:  # fmt: skip
        item = document["paths"].get(collection, {})
        if not {"get", "post"} <= item.keys():
            return
        call = call_of(document, "post", collection, item["post"], values)
        if call.media_type == "application/json":
            sent = self._http.post(call.path, json=call.body, headers=headers)
            created = self._done(sent).json()
            values[name] = created.get("id", created.get("pk"))

    def _order(self, operation_id: str, ad_id: int) -> dict[str, Any]:
        """The ids of what was reported and decided, where the operation is about that."""
        if operation_id not in ORDER:
            return {}
        moderator = self._headers(MODERATOR)
        reason = {"reason": "scam"}
        self._done(self._http.post(f"/ads/{ad_id}/reports", json=reason, headers=moderator))
        listed = self._done(self._http.get("/moderation/cases", headers=moderator)).json()
        [case] = [case for case in listed["results"] if case["target"] == ad_id]
        if ORDER[operation_id] == "case":
            return {"id": case["id"]}
        if ORDER[operation_id] == "user":
            return {"id": case["author"]}
        decision = {"action": "suspendAd", "ground": "terms", "explanation": "No such thing."}
        path = f"/moderation/cases/{case['id']}/decisions"
        return {
            "id": self._done(self._http.post(path, json=decision, headers=moderator)).json()["id"]
        }

    def _webhook(self, headers: dict[str, str]) -> dict[str, Any]:
        """A new one, with a delivery, instead of those of earlier samples."""
        listed = self._done(self._http.get("/webhooks", headers=headers)).json()
        for webhook in listed["results"]:
            self._done(self._http.delete(f"/webhooks/{webhook['id']}", headers=headers))
        # No name ends so (RFC 6761).
        sent = {"url": "https://hooks.invalid/", "types": ["ad.created"]}
        made = self._done(self._http.post("/webhooks", json=sent, headers=headers)).json()
        path = f"/webhooks/{made['id']}"
        self._done(self._http.post(f"{path}/test", headers=headers))
        deliveries = self._done(self._http.get(f"{path}/deliveries", headers=headers)).json()
        return {"id": made["id"], "deliveryId": deliveries["results"][0]["id"]}

    async def _add_link(self, purpose: TokenPurpose) -> None:
        url = self._settings.required_database_url()
        connection = await asyncpg.connect(
            url.set(drivername="postgresql").render_as_string(hide_password=False)
        )
        try:
            if purpose is TokenPurpose.RESET:
                await connection.execute(
                    "UPDATE users SET mail = username, mail_verified = TRUE, mail_pending = NULL"
                    " WHERE username = $1",
                    USERNAME,
                )
            await connection.execute(
                "INSERT INTO mail_tokens (hash, user_id, purpose, address, expires_at)"
                " SELECT $1, id, $2, username, now() + interval '1 hour' FROM users"
                " WHERE username = $3",
                *(LINK_TOKEN.hash, purpose.value, USERNAME),
            )
        finally:
            await connection.close()

    def _headers(self, username: str) -> dict[str, str]:
        token = self._log_in(username, PASSWORD)
        assert token is not None
        return {"Authorization": f"Bearer {token}"}

    def _restore_account(self) -> None:
        """An earlier sample may have suspended it."""
        admin = self._headers(ADMIN)
        found = self._done(self._http.get("/users", params={"q": USERNAME}, headers=admin)).json()
        for account in found["results"]:
            self._done(self._http.post(f"/users/{account['id']}/restore", headers=admin))

    @staticmethod
    def _done(answer: httpx.Response) -> httpx.Response:
        assert answer.is_success, answer.text
        return answer

    def _register(self, username: str) -> None:
        account = {"username": username, "password": PASSWORD}
        self._done(self._http.post("/register", json=account))

    def _log_in(self, username: str, password: str) -> str | None:
        answer = self._http.post("/login", json={"username": username, "password": password})
        return answer.json()["access_token"] if answer.is_success else None

    def _remove_account(self) -> None:
        for password in (PASSWORD, NEW_PASSWORD):
            token = self._log_in(USERNAME, password)
            if token is not None:
                headers = {"Authorization": f"Bearer {token}"}
                sent = {"currentPassword": password}
                self._done(self._http.request("DELETE", "/users/me", json=sent, headers=headers))
