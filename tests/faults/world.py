"""A service, and a model of what should be in it, which get the same changes."""

from collections.abc import Callable
from io import BytesIO
from itertools import count
from typing import Any

import httpx2
from PIL import Image

from faults.ledger import COLOURS, PICTURES
from faults.model import Account, Ad
from support.scene.api import PASSWORD, ad_form, image_form

# All that is in here fits on one page.
ALL = 1000

ORDERS: dict[str | None, Callable[[int, Ad], Any]] = {
    "-created": lambda pk, _: -pk,
    "created": lambda pk, _: pk,
    "price": lambda pk, ad: (ad.properties["price"], pk),
    "-price": lambda pk, ad: (-ad.properties["price"], -pk),
}

_numbers = count(1)


class World:
    """The ads there should be, by id, and a client for all who act on them."""

    def __init__(self, client: httpx2.Client, watcher: Account) -> None:
        self.client = client
        # Does nothing but look, so that it is never logged out.
        self.watcher = watcher
        self.ads: dict[int, Ad] = {}
        self.gone: list[int] = []
        self.dead_paths: list[str] = []
        self.tags: dict[str, tuple[str, bytes | None]] = {}
        self._judged: set[bytes] = set()

    def ask(self, who: Account | None, method: str, path: str, **options: Any) -> httpx2.Response:
        headers = {**(who.headers if who else {}), **options.pop("headers", {})}
        answer = self.client.request(method, path, headers=headers, **options)
        if answer.is_error and path != "/token":
            problem = answer.json()
            assert answer.headers["content-type"] == "application/problem+json"
            assert problem["status"] == answer.status_code
        return answer

    def register(self) -> Account:
        username = f"walker{next(_numbers)}@example.com"
        record = {"username": username, "password": PASSWORD}
        answer = self.ask(None, "POST", "/register", json=record)
        assert answer.status_code == 201, answer.text
        account = Account(answer.json()["id"], username)
        self.log_in(account)
        return account

    def log_in(self, who: Account) -> None:
        record = {"username": who.username, "password": who.password}
        answer = self.ask(None, "POST", "/login", json=record)
        assert answer.status_code == 200, answer.text
        self.given(who, answer)

    @staticmethod
    def given(who: Account, answer: httpx2.Response) -> None:
        pair = answer.json()
        who.token, who.refresh = pair["access_token"], pair["refresh_token"]

    def remove(self, who: Account) -> None:
        """The account and all it has posted."""
        if who.token is None:
            self.log_in(who)
        confirmation = {"currentPassword": who.password}
        answer = self.ask(who, "DELETE", "/users/me", json=confirmation)
        assert answer.status_code == 204, answer.text

    def attempt(
        self,
        who: Account,
        owner: Account | None,
        method: str,
        path: str,
        **options: Any,
    ) -> httpx2.Response | None:
        """The answer, or None if it was refused, as it must be unless the sender may do it.

        Without an owner anybody may who is logged in.
        """
        answer = self.ask(who, method, path, **options)
        if who.token is None:
            assert answer.status_code == 401, answer.text
            return None
        if owner is not None and owner is not who and not who.admin:
            assert answer.status_code == 403, answer.text
            return None
        assert answer.is_success, answer.text
        return answer

    def post(self, who: Account, properties: dict[str, Any], colour: int) -> None:
        form = ad_form(image=PICTURES[COLOURS[colour]], **properties)
        answer = self.attempt(who, None, "POST", "/ads", files=form)
        if answer is not None:
            assert answer.headers["location"] == f"/ads/{answer.json()['pk']}"
            ad = Ad(who, properties, answer.json()["image"])
            ad.image = self.picture(ad.path)
            self.ads[answer.json()["pk"]] = ad

    def picture(self, path: str) -> bytes:
        answer = self.ask(None, "GET", path)
        assert answer.status_code == 200, answer.text
        if answer.content not in self._judged:
            Image.open(BytesIO(answer.content)).load()
            self._judged.add(answer.content)
        return answer.content

    def replace(self, who: Account, pk: int, colour: int) -> None:
        ad = self.ads[pk]
        form = image_form(PICTURES[COLOURS[colour]])
        answer = self.attempt(who, ad.author, "PATCH", f"/ads/{pk}/image", files=form)
        if answer is not None:
            self.dead_paths.append(ad.path)
            ad.path = self.detail(pk)["image"]
            assert ad.path not in self.dead_paths
            ad.image = answer.content

    def detail(self, pk: int) -> dict[str, Any]:
        answer = self.ask(self.watcher, "GET", f"/ads/{pk}")
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def delete(self, who: Account, pk: int) -> None:
        ad = self.ads[pk]
        if self.attempt(who, ad.author, "DELETE", f"/ads/{pk}") is not None:
            del self.ads[pk]
            self.gone.append(pk)
            self.dead_paths.append(ad.path)

    def listed(
        self,
        chosen: Callable[[Ad], bool] = lambda _: True,
        order: Callable[[int, Ad], Any] = lambda pk, _: -pk,
    ) -> list[dict[str, Any]]:
        """Newest first, without what only the service can know."""
        return [
            {
                "pk": pk,
                "author": ad.author.id,
                "image": ad.path,
                "title": ad.properties["title"],
                "price": ad.properties["price"],
            }
            for pk, ad in sorted(self.ads.items(), key=lambda item: order(*item))
            if chosen(ad)
        ]

    @staticmethod
    def shown(answer: httpx2.Response, count: int) -> list[dict[str, Any]]:
        """The ads of a page that says that so many match."""
        assert answer.status_code == 200, answer.text
        found = answer.json()
        assert (found["count"], found["countExact"]) == (count, True)
        known = ("pk", "author", "image", "title", "price")
        return [{name: ad[name] for name in known} for ad in found["results"]]

    def check_listing(
        self, answer: httpx2.Response, chosen: Callable[[Ad], bool] = lambda _: True
    ) -> None:
        expected = self.listed(chosen)
        assert self.shown(answer, len(expected)) == expected

    def check_finding(
        self, filters: dict[str, Any], author: Account | None, sort: str | None, limit: int
    ) -> None:
        """Page by page."""
        word = filters.get("q", "")
        expected = self.listed(
            lambda ad: (
                (author is None or ad.author is author)
                and (not word or ad.matches(word))
                and filters.get("minPrice", 0) <= ad.properties["price"]
                and ad.properties["price"] <= filters.get("maxPrice", ALL)
            ),
            ORDERS.get(sort) or (lambda pk, ad: (word not in ad.properties["title"], -pk)),
        )
        query = {**filters, "limit": limit}
        query |= {"sort": sort} if sort else {}
        query |= {"author": author.id} if author else {}
        found = []
        while True:
            answer = self.client.get("/ads", params=query)
            found += self.shown(answer, len(expected))
            if answer.json()["next"] is None:
                break
            query["cursor"] = answer.json()["next"]
        assert found == expected

    def check_tag(self, path: str) -> None:
        """Told by its tag that nothing has changed when, and only when, nothing has."""
        old_tag, old_body = self.tags.get(path, ('"none"', None))
        whole = self.ask(self.watcher, "GET", path)
        assert whole.status_code == 200, whole.text
        self.tags[path] = whole.headers["etag"], whole.content
        for tag, body in ((old_tag, old_body), self.tags[path]):
            answer = self.ask(self.watcher, "GET", path, headers={"If-None-Match": tag})
            if body == whole.content:
                assert (answer.status_code, answer.content) == (304, b"")
            else:
                assert (answer.status_code, answer.content) == (200, whole.content)

    def check_everything(self) -> None:
        self.check_listing(self.client.get("/ads", params={"limit": ALL}))
        for pk, ad in self.ads.items():
            found = self.detail(pk)
            assert {name: found[name] for name in ad.properties} == ad.properties
            assert (found["image"], found["email"]) == (ad.path, ad.author.username)
            assert self.picture(ad.path) == ad.image
            answer = self.ask(self.watcher, "GET", f"/ads/{pk}/comments?limit={ALL}")
            said = [(row["pk"], row["author"], row["text"]) for row in answer.json()["results"]]
            kept = sorted(ad.comments.items(), reverse=True)
            assert said == [(number, one.author.id, one.text) for number, one in kept]
            assert answer.json()["count"] == len(kept)
