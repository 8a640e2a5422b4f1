"""What has to exist before a sample of the document can run as it stands."""

import asyncio
import base64
import os
import re
import secrets
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from typing import Any

import asyncpg
import httpx2

from adsvc.enums import TokenPurpose
from adsvc.kit.security.factors import TotpSecret
from adsvc.kit.security.tokens import LinkToken, Purpose, SignedLinks
from adsvc.settings import Settings
from samples import call_of
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
    "Categor|Case|Moderated|User|undoDecision|Webhook|Deliver|Event|Overview|AllAds|decideAds|Settings|Job|Outbox|Maintenance|AccessRule|Deletion|updateSite|SiteLogo|SiteIcon|Invitation|SitePage|AdministeredSite|SiteChanges|restoreSite|(list|get|put|delete)Provider|listMails|getMail|writeMail|testMail"
)
WEBHOOKS = re.compile("Webhook|Deliver")

# What the id of the path is, of operations about what was reported.
ORDER = {
    **dict.fromkeys(("listCases", "getCase", "decideCase"), "case"),
    **dict.fromkeys(
        (
            "getUser",
            "updateUser",
            "suspendUser",
            "restoreUser",
            "expelUser",
            "getSeller",
            "listRatings",
            "listUserMails",
            "exportUser",
            "deleteUser",
        ),
        "user",
    ),
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
        self._has_terms = False

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
        confirm = "UPDATE users SET mail = $1, mail_verified = true WHERE username = $1"
        asyncio.run(self._execute(confirm, ADMIN))

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
        if self._has_terms:
            self._end_terms()
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
            values |= self._webhook(headers, path.partition("/{id}")[0])
        # An earlier sample may have deleted the category.
        if "Categor" in operation_id:
            definition = {"parent": "home", "name": "Furniture"}
            self._done(self._http.put("/categories/furniture", json=definition, headers=headers))
        sessions = self._done(self._http.get("/users/me/sessions", headers=headers)).json()
        if operation_id == "endMySession":
            values["id"] = sessions["results"][0]["id"]
        if operation_id == "setUp":
            asyncio.run(self._open_setup())
        if operation_id in {"register", "setUp"}:
            self._remove_account()
            token = refresh_token = None
        values |= self._operation(operation_id, headers, values["id"])
        values |= self._import(operation_id, headers)
        if operation_id in {"confirmTotp", "deleteTotp", "completeLogin"}:
            values |= self._factor(operation_id, headers)
        return Scene(token, refresh_token, values)

    def _push_subscription(self, document: Json, headers: dict[str, str]) -> Json:
        path = "/users/me/push"
        call = call_of(document, "put", path, document["paths"][path]["put"], {})
        self._done(self._http.put(path, json=call.body, headers=headers))
        listed = self._done(self._http.get(path, headers=headers)).json()
        return {"id": listed["results"][0]["id"]}

    def _operation(self, operation_id: str, headers: dict[str, str], ad_id: int) -> dict[str, Any]:
        """What the paths of the console name."""
        if operation_id == "runJob":
            return {"name": "cleaning"}
        if operation_id.endswith("OutboxEntry"):
            return {"id": asyncio.run(self._add_dead_letter())}
        if operation_id.endswith("Deletion"):
            self._done(self._http.delete(f"/ads/{ad_id}", headers=headers))
            listed = self._done(self._http.get("/admin/deletions", headers=headers)).json()
            return {"id": listed["results"][0]["id"]}
        if operation_id in {"deleteIdentity", "getProvider", "putProvider", "deleteProvider"}:
            return {"id": self._provided(operation_id, headers)}
        if operation_id == "acceptTerms":
            self._begin_terms()
        if operation_id.endswith("SitePage"):
            page = {"title": {"en": "Imprint"}, "text": {"en": "Who we are."}}
            self._done(self._http.put("/admin/pages/imprint", json=page, headers=headers))
        if operation_id != "restoreSite":
            return {}
        path, sent = "/admin/site", {"headline": {"en": secrets.token_hex()}}
        self._done(self._http.patch(path, json=sent, headers=headers))
        listed = self._done(self._http.get(f"{path}/history", headers=headers)).json()
        return {"id": listed["results"][0]["id"]}

    def _begin_terms(self) -> None:
        """Terms in their second version, as the example has it."""
        headers, path = self._headers(ADMIN), "/admin/pages/terms"
        page = {"title": {"en": "Terms"}, "text": {"en": "Be kind."}}
        self._done(self._http.put(path, json=page, headers=headers))
        self._done(self._http.post(f"{path}/publish", headers=headers))
        settings = {"termsPage": "terms"}
        self._done(self._http.patch("/admin/site", json=settings, headers=headers))
        self._has_terms = True

    def _end_terms(self) -> None:
        """Accounts that have not accepted could change nothing."""
        self._done(self._http.delete("/admin/pages/terms", headers=self._headers(ADMIN)))
        self._has_terms = False

    def _import(self, operation_id: str, headers: dict[str, str]) -> dict[str, Any]:
        if "Import" not in operation_id or operation_id == "createImport":
            return {}
        sent = self._http.post(
            "/imports",
            params={"dryRun": "true"},
            content="externalId,title,description,price\r\nA1,Oak table,Oiled.,1500\r\n",
            headers={**headers, "Content-Type": "text/csv"},
        )
        made = int(self._done(sent).json()["id"])
        if operation_id == "confirmImport":
            wait = "UPDATE imports SET status = 'waiting', dry_run = false WHERE id = $1"
            asyncio.run(self._execute(wait, made))
        return {"id": made}

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
        # What a provider says is in no example.
        if not {"get", "post"} <= item.keys() or collection == "/users/me/identities":
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
        if path.startswith(("/deals", "/ratings")):
            return self._deal(operation_id, ad_id, headers)
        if operation_id in {"blockUser", "unblockUser"}:
            # Only an account that one has met can be blocked.
            text, moderator = {"text": "Is it still available?"}, self._headers(MODERATOR)
            self._done(self._http.post(f"/ads/{ad_id}/comments", json=text, headers=moderator))
            found = self._http.get("/users", params={"q": MODERATOR}, headers=headers)
            return {"userId": self._done(found).json()["results"][0]["id"]}
        return {}

    def _deal(self, operation_id: str, ad_id: int, headers: dict[str, str]) -> Json:
        """The sale of the ad to the administrator, and the ratings that the operation needs."""
        buyer = self._headers(ADMIN)
        self._conversation(operation_id, ad_id, headers)
        sale = {"buyer": self._done(self._http.get("/users/me", headers=buyer)).json()["id"]}
        self._done(self._http.post(f"/ads/{ad_id}/sell", json=sale, headers=headers))
        deals = self._done(self._http.get("/users/me/deals", headers=headers)).json()
        values = {"dealId": deals["results"][0]["id"]}
        if operation_id != "rateDeal":
            path, stars = f"/deals/{values['dealId']}/ratings", {"stars": 5}
            self._done(self._http.post(path, json=stars, headers=headers))
            made = self._done(self._http.post(path, json=stars, headers=buyer)).json()
            values["id"] = made["id"]
        return values

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
            if operation_id == "finishOffer":
                accept = f"/offers/{offer['id']}/accept"
                self._done(self._http.post(accept, headers=headers))
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

    def _webhook(self, headers: dict[str, str], prefix: str) -> dict[str, Any]:
        """A new one, with a delivery, instead of those of earlier samples."""
        listed = self._done(self._http.get(prefix, headers=headers)).json()
        for webhook in listed["results"]:
            self._done(self._http.delete(f"{prefix}/{webhook['id']}", headers=headers))
        # No name ends so (RFC 6761).
        sent = {"url": "https://hooks.invalid/", "types": ["ad.created"]}
        made = self._done(self._http.post(prefix, json=sent, headers=headers)).json()
        path = f"{prefix}/{made['id']}"
        self._done(self._http.post(f"{path}/test", headers=headers))
        deliveries = self._done(self._http.get(f"{path}/deliveries", headers=headers)).json()
        return {"id": made["id"], "deliveryId": deliveries["results"][0]["id"]}

    async def _open_setup(self) -> None:
        """It is possible only without an administrator."""
        await self._execute("UPDATE users SET role = 'USER' WHERE role = 'ADMIN'")
        await self._execute(
            "UPDATE installation SET setup_until = now() + interval '1 hour',"
            " setup_hash = sha256(convert_to(id::text || $1, 'UTF8'))",
            LINK_TOKEN.text,
        )

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

    def _provided(self, operation_id: str, headers: dict[str, str]) -> int | str:
        """An identity, or a provider."""
        if operation_id == "deleteIdentity":
            return asyncio.run(self._add_identity())
        provider = {"name": "Example ID", "issuer": "https://id.example.com", "clientId": "adsvc"}
        sent = {**provider, "clientSecret": "a"}
        self._done(self._http.put("/admin/providers/example", json=sent, headers=headers))
        return "example"

    async def _add_identity(self) -> int:
        """Of the example's account."""
        await self._execute("DELETE FROM identities")
        await self._execute(
            "INSERT INTO identities (user_id, issuer, subject)"
            " SELECT id, 'https://id.example.com', '1' FROM users WHERE username = $1",
            USERNAME,
        )
        path, headers = "/users/me/identities", self._headers(USERNAME)
        listed = self._done(self._http.get(path, headers=headers)).json()
        return int(listed["results"][0]["id"])

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
        """An earlier sample may have suspended it, or the set-up demoted the administrator."""
        promotion = "UPDATE users SET role = 'ADMIN' WHERE username = $1"
        asyncio.run(self._execute(promotion, ADMIN))
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
