"""What people do on a demonstration site, by the operations that clients call."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from http import HTTPStatus
from itertools import cycle
from typing import Any

from starlette.types import ASGIApp, Message

from adsvc.kit.errors import OperatorError
from adsvc.kit.settings.groups import AccessLines
from adsvc.main import create_app
from adsvc.settings import Jobs, RateLimits, Settings

ADS_PER_SELLER = 3

QUESTIONS = (
    "Hello, is it still available?",
    "Good evening! I live around the corner. Could I look at it on Saturday?",
    "Hi, does it have any scratches? Some more pictures would help.",
)
ANSWERS = (
    "Yes, it is. You can come by any evening.",
    "Saturday is fine, at eleven?",
    "It has one small scratch on the left, otherwise it is as it looks.",
)
COMMENTS = ("How old is it?", "Would you also send it?")
REPORTS = (
    ("scam", "Asks for money in advance."),
    ("duplicate", "The same ad is there twice."),
    ("category", "This belongs somewhere else."),
)
SEARCHES = (("A table for the kitchen", "q=table"), ("Bicycles near me", "q=bicycle&maxPrice=800"))


class DemonstrationAccount:
    """Calls the application in this process: nothing that the service needs is a client of HTTP."""

    def __init__(self, app: ASGIApp, token: str = "") -> None:
        self._app = app
        self._token = token

    async def get(self, path: str) -> Any:  # noqa: ANN401 - JSON
        return await self._call("GET", path, b"")

    async def post(self, path: str, **body: object) -> Any:  # noqa: ANN401 - JSON
        return await self._call("POST", path, json.dumps(body).encode())

    async def put(self, path: str) -> None:
        await self._call("PUT", path, b"")

    async def _call(self, method: str, path: str, body: bytes) -> Any:  # noqa: ANN401 - JSON
        """The answer; `OperatorError` if it is a refusal."""
        target, _, query = path.partition("?")
        headers = {"host": "localhost", "content-length": str(len(body))}
        if body:
            headers["content-type"] = "application/json"
        if self._token:
            headers["authorization"] = f"Bearer {self._token}"
        scope = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.4"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": target,
            "raw_path": target.encode(),
            "query_string": query.encode(),
            "root_path": "",
            "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
            "client": ("127.0.0.1", 0),
            "server": ("localhost", 80),
        }
        sent: list[Message] = []
        is_read = False

        async def receive() -> Message:
            nonlocal is_read
            if is_read:
                # It never disconnects.
                await asyncio.Event().wait()
            is_read = True
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: Message) -> None:
            sent.append(message)

        await self._app(scope, receive, send)
        content = b"".join(message.get("body", b"") for message in sent)
        answer: Any = json.loads(content or b"null")
        if sent[0]["status"] >= HTTPStatus.BAD_REQUEST:
            raise OperatorError(f"{target}: {answer['detail']}")
        return answer


async def act(settings: Settings, names: Sequence[str], password: str) -> None:
    """Conversations with offers, comments, reports, saved ads and searches.

    The first two of the accounts are the sellers. Raises `OperatorError` for what the site refuses.
    """
    async with _people(settings, names, password) as (first, second, *buyers):
        turns = cycle(buyers)
        shown = []
        for seller in (first, second):
            ads = (await seller.get(f"/ads/me?status=active&limit={ADS_PER_SELLER}"))["results"]
            words = zip(ads, QUESTIONS, ANSWERS, strict=False)
            for number, (ad, question, answer) in enumerate(words):
                buyer = next(turns)
                conversation = await _talk(seller, buyer, ad, question, answer)
                if number == 0 and ad["price"] > 1:
                    await _agree(seller, buyer, conversation, ad["price"])
            shown += ads
        await _browse(shown, turns)


@asynccontextmanager
async def _people(
    settings: Settings, names: Sequence[str], password: str
) -> AsyncIterator[list[DemonstrationAccount]]:
    quiet = {"rate_limits": RateLimits.OFF, "jobs": Jobs.OFF, "log_access": AccessLines.ERRORS}
    app = create_app(settings.model_copy(update=quiet))
    async with app.router.lifespan_context(app):
        visitor = DemonstrationAccount(app)
        people = []
        for name in names:
            session = await visitor.post("/login", username=name, password=password)
            people.append(DemonstrationAccount(app, session["access_token"]))
        yield people


async def _talk(
    seller: DemonstrationAccount,
    buyer: DemonstrationAccount,
    ad: dict[str, Any],
    question: str,
    answer: str,
) -> str:
    """The path of their conversation."""
    await buyer.put(f"/users/me/favorites/{ad['pk']}")
    message = await buyer.post(f"/ads/{ad['pk']}/messages", text=question)
    conversation = f"/conversations/{message['conversation']}"
    await seller.post(f"{conversation}/messages", text=answer)
    return conversation


async def _agree(
    seller: DemonstrationAccount, buyer: DemonstrationAccount, conversation: str, price: int
) -> None:
    offer = await buyer.post(f"{conversation}/offers", price=price * 9 // 10)
    await seller.post(f"/offers/{offer['id']}/accept")


async def _browse(shown: Sequence[dict[str, Any]], turns: Iterator[DemonstrationAccount]) -> None:
    for ad, text in zip(shown, COMMENTS, strict=False):
        await next(turns).post(f"/ads/{ad['pk']}/comments", text=text)
    for ad, (reason, text) in zip(reversed(shown), REPORTS, strict=False):
        await next(turns).post(f"/ads/{ad['pk']}/reports", reason=reason, text=text)
    for name, query in SEARCHES:
        await next(turns).post("/users/me/searches", name=name, query=query, notify="instant")
