"""What has to exist before a sample of the document can run as it stands."""

import asyncio
import base64
import os
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from typing import Any

import asyncpg
import httpx2

from adsvc.models import TokenPurpose
from adsvc.security.factors import TotpSecret
from adsvc.security.signed_links import Purpose, SignedLinks
from adsvc.security.tokens import LinkToken
from adsvc.settings import Settings
from adsvc_ops.samples import call_of
from support.contract.documents import Json
from support.pictures import samples as pictures
from support.scene.api import ad_form

# As the examples have them.
USERNAME, PASSWORD = "anna@example.com", "correct horse battery"

ADMIN, MODERATOR = "admin@example.com", "moderator@example.com"

# The step that an ad has to have taken before another one is possible.
BEFORE = {"releaseAd": "reserve"}


# Those that only administrators, or moderators too, may ask for.
ADMINISTRATION = re.compile(
    "Categor|Case|Moderated|User|undoDecision|Webhook|Deliver|Event|Overview|AllAds|decideAds|Settings|Job|Outbox"
)
WEBHOOKS = re.compile("Webhook|Deliver")

# What the id of the path is, of operations about what was reported.
ORDER = {
    **dict.fromkeys(("listCases", "getCase", "decideCase"), "case"),
    **dict.fromkeys(("getUser", "updateUser", "suspendUser", "restoreUser", "getSeller"), "user"),
    **dict.fromkeys(("undoDecision", "listMyDecisions", "appealDecision"), "decision"),
    **dict.fromkeys(("readDecision", "appealByToken"), "decision"),
}


# What is done to the ads of others.
OF_OTHERS = re.compile("reportAd|reportComment|writeAboutAd|readPhone|Favorite$")

# What links in mails carry, as the examples have it.
LINK_TOKEN = LinkToken("sD1cFW0Fhcp8Zb5gq2mVt7K4bQ0mXyWn1uJ9oRk3eTA")
PURPOSES = {
    "verifyMail": TokenPurpose.VERIFY,
    "resetPassword": TokenPurpose.RESET,
    "reportLogin": TokenPurpose.REPORT,
}


# What depends on the time, as the examples have it.
EXAMPLES = {
    "code": "492039",
    "decisionToken": "b1Zr0uGQn4yHh7C3mWkq2DQ6NQ",
    "challenge": "eyJhbGciOiJIUzI1NiIsInR5cCI6ImxvZ2luK2p3dCJ9.e30.x",
}


# A line of GeoNames' file of places.
LUNEBURG = (
    "2875115 Lüneburg Luneburg - 53.251 10.415 P PPL DE - 06 - - - 71260 - - - -"
).translate({ord(" "): "\t", ord("-"): None})


@dataclass(frozen=True)
class Scene:
    """Whose sample it is, and what its path names."""

    # None where the account is still to be made.
    token: str | None
    refresh_token: str | None
    values: dict[str, Any]

    def in_place(self, sample: str) -> str:
        """With the ad's pictures, and the code of now, instead of those of the example."""
        [first, second] = self.values["images"]
        sample = sample.replace("18, 17", f"{second}, {first}")
        for name, example in EXAMPLES.items():
            sample = sample.replace(example, self.values.get(name, example))
        return sample


class Stage:
    def __init__(self, url: str, settings: Settings) -> None:
        self._http = httpx2.Client(base_url=url, timeout=30)
        self._settings = settings

    def close(self) -> None:
        self._http.close()

    def build(self) -> None:
        """Categories, an administrator and a moderator."""
        self._operate("categories", "load", "--starter")
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
            file.write(LUNEBURG)
            file.flush()
            self._operate("places", "load", file.name)
        for username, role in ((ADMIN, "admin"), (MODERATOR, "moderator")):
            self._register(username)
            self._operate("users", "promote", username, "--role", role)
        phone, headers = {"phone": "+44 20 7946 0958"}, self._headers(ADMIN)
        self._done(self._http.patch("/users/me", json=phone, headers=headers))

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
        pair = self._log_in(username, PASSWORD)
        token, refresh_token = pair["access_token"], pair["refresh_token"]
        headers = {"Authorization": f"Bearer {token}"}
        author = ADMIN if OF_OTHERS.search(operation_id) else USERNAME
        values = self._ad(operation_id, self._headers(author))
        values |= self._order(operation_id, values["id"])
        # Neither one's own ad is reported, nor one's own message.
        owner = ADMIN if operation_id.startswith("report") or author == ADMIN else username
        if path.startswith("/users/me/passkeys"):
            values |= asyncio.run(self._add_passkey())
        else:
            values |= self._others(document, operation_id, path, values["id"], headers)
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
            token = refresh_token = None
        if operation_id == "runJob":
            values["name"] = "cleaning"
        if operation_id.endswith("OutboxEntry"):
            values["id"] = asyncio.run(self._add_dead_letter())
        if operation_id in {"confirmTotp", "deleteTotp", "completeLogin"}:
            values |= self._factor(operation_id, headers)
        return Scene(token, refresh_token, values)

    def _push_subscription(self, document: Json, headers: dict[str, str]) -> Json:
        path = "/users/me/push"
        call = call_of(document, "put", path, document["paths"][path]["put"], {})
        self._done(self._http.put(path, json=call.body, headers=headers))
        listed = self._done(self._http.get(path, headers=headers)).json()
        return {"id": listed["results"][0]["id"]}

    def _factor(self, operation_id: str, headers: dict[str, str]) -> dict[str, Any]:
        """An authenticator app, confirmed unless that is what the sample does."""
        sent = {"currentPassword": PASSWORD}
        made = self._done(self._http.post("/users/me/totp", json=sent, headers=headers)).json()
        secret, step = TotpSecret(base64.b32decode(made["secret"])), int(time.time()) // 30
        values = {"code": secret.code(step)}
        if operation_id != "confirmTotp":
            first = {"code": secret.code(step - 1)}
            self._done(self._http.post("/users/me/totp/confirm", json=first, headers=headers))
            login = {"username": USERNAME, "password": PASSWORD}
            values["challenge"] = self._http.post("/login", json=login).json()["challenge"]
        return values

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
        body = self._done(self._http.get(path, headers=headers)).json()
        values["images"] = [image["id"] for image in body["images"]]
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

    def _others(
        self, document: Json, operation_id: str, path: str, ad_id: int, headers: dict[str, str]
    ) -> dict[str, Any]:
        """What the operation has to do with another account, or with a browser."""
        if operation_id == "deletePush":
            return self._push_subscription(document, headers)
        if path.startswith(("/conversations", "/offers")):
            return self._conversation(operation_id, ad_id, headers)
        if operation_id in {"blockUser", "unblockUser"}:
            # Only an account that one has met can be blocked.
            text, moderator = {"text": "Is it still available?"}, self._headers(MODERATOR)
            self._done(self._http.post(f"/ads/{ad_id}/comments", json=text, headers=moderator))
            found = self._http.get("/users", params={"q": MODERATOR}, headers=headers)
            return {"userId": self._done(found).json()["results"][0]["id"]}
        return {}

    def _conversation(self, operation_id: str, ad_id: int, headers: dict[str, str]) -> Json:
        """What another account has written about the ad, and the open offer of an operation."""
        buyer = self._headers(ADMIN)
        text = {"text": "Is it still available?"}
        sent = self._http.post(f"/ads/{ad_id}/messages", json=text, headers=buyer)
        message = self._done(sent).json()
        conversation = message["conversation"]
        values = {"id": conversation, "messageId": message["id"]}
        if "Offer" in operation_id:
            path, price = f"/conversations/{conversation}/offers", {"price": 900}
            offer = self._done(self._http.post(path, json=price, headers=buyer)).json()
            if operation_id == "withdrawOffer":
                # In answer to that one.
                offer = self._done(self._http.post(path, json=price, headers=headers)).json()
            if operation_id != "makeOffer":
                values["id"] = offer["id"]
        return values

    async def _add_passkey(self) -> Json:
        """One that no authenticator has signed for: samples only list and delete it."""
        await self._execute(
            "INSERT INTO passkeys (user_id, name, credential_id, public_key, sign_count,"
            " backup_eligible, backed_up, rp_id)"
            " SELECT id, 'A phone', '\\x01', '\\x02', 0, FALSE, FALSE, 'localhost' FROM users"
            " WHERE username = $1",
            USERNAME,
        )
        headers = self._headers(USERNAME)
        listed = self._done(self._http.get("/users/me/passkeys", headers=headers)).json()
        return {"id": listed["results"][0]["id"]}

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
        made = self._done(self._http.post(path, json=decision, headers=moderator)).json()
        token = asyncio.run(self._decision_token(made["user"], made["id"]))
        return {"id": made["id"], "decisionToken": token}

    async def _decision_token(self, user_id: int, decision_id: int) -> str:
        """As the mail about the decision has it."""
        key = b"\x01" * 32
        await self._execute("UPDATE installation SET link_key = $1", key)
        return SignedLinks(key, Purpose.APPEAL).token(user_id, str(decision_id))

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
        if purpose is not TokenPurpose.VERIFY:
            await self._execute(
                "UPDATE users SET mail = username, mail_verified = TRUE, mail_pending = NULL"
                " WHERE username = $1",
                USERNAME,
            )
        await self._execute(
            "INSERT INTO mail_tokens (hash, user_id, purpose, address, expires_at)"
            " SELECT $1, id, $2, username, now() + interval '1 hour' FROM users"
            " WHERE username = $3",
            *(LINK_TOKEN.hash, purpose.value, USERNAME),
        )

    async def _add_dead_letter(self) -> int:
        """A new one, the only one."""
        await self._execute("DELETE FROM outbox WHERE dead_at IS NOT NULL")
        await self._execute(
            "INSERT INTO outbox (kind, payload, dead_at) VALUES ('letter', '{}', now())"
        )
        headers = self._headers(ADMIN)
        listed = self._http.get("/admin/outbox", params={"status": "dead"}, headers=headers)
        return int(self._done(listed).json()["results"][0]["id"])

    async def _execute(self, statement: str, *values: object) -> None:
        url = self._settings.required_database_url()
        connection = await asyncpg.connect(
            url.set(drivername="postgresql").render_as_string(hide_password=False)
        )
        try:
            await connection.execute(statement, *values)
        finally:
            await connection.close()

    def _headers(self, username: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {self._log_in(username, PASSWORD)['access_token']}"}

    def _restore_account(self) -> None:
        """An earlier sample may have suspended it."""
        admin = self._headers(ADMIN)
        found = self._done(self._http.get("/users", params={"q": USERNAME}, headers=admin)).json()
        for account in found["results"]:
            self._done(self._http.post(f"/users/{account['id']}/restore", headers=admin))

    @staticmethod
    def _done(answer: httpx2.Response) -> httpx2.Response:
        assert answer.is_success, answer.text
        return answer

    def _register(self, username: str) -> None:
        account = {"username": username, "password": PASSWORD}
        self._done(self._http.post("/register", json=account))

    def _log_in(self, username: str, password: str) -> dict[str, Any]:
        answer = self._http.post("/login", json={"username": username, "password": password})
        pair: dict[str, Any] = self._done(answer).json()
        return pair

    def _remove_account(self) -> None:
        asyncio.run(self._execute("DELETE FROM users WHERE username = $1", USERNAME))
