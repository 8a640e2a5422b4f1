"""Streams go on behind the last event that came, whatever ends their connections."""

import os
import time
from collections.abc import AsyncIterator, Callable, Iterator
from itertools import islice
from pathlib import Path

import httpx2
import pytest

from adsvc_client import (
    AdsvcClient,
    AsyncAdsvcClient,
    CursorExpiredError,
    NoAnswerError,
    ProblemError,
    Retries,
    UnexpectedAnswerError,
    Unread,
)
from adsvc_client.models import Notification
from conftest import PASSWORD

EVENT = '{{"id":{0},"type":"ad.sold","at":1,"ad":7,"user":null,"data":{{}}}}'
QUICK = Retries(first_wait=0.001)


def block(number: int) -> str:
    return f"id: c{number}\nevent: ad.sold\ndata: {EVENT.format(number)}\n\n"


def problem(status: int, slug: str) -> httpx2.Response:
    body = {"type": f"/problems#{slug}", "title": "A title", "status": status}
    headers = {"Content-Type": "application/problem+json"}
    return httpx2.Response(status, json=body, headers=headers)


class Service:
    """Answers with the events behind the cursor, two a connection, which then is cut."""

    def __init__(self) -> None:
        self.requests: list[httpx2.Request] = []

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        self.requests.append(request)
        after = request.url.params.get("after", "c0")
        if len(self.requests) == 2:
            return problem(503, "overloaded")
        if after == "c4":
            return problem(410, "cursor-expired")
        first = int(after.removeprefix("c")) + 1
        return httpx2.Response(200, stream=_Cut(first))


class _Cut(httpx2.SyncByteStream, httpx2.AsyncByteStream):
    def __init__(self, first: int) -> None:
        text = ": \n\n" + "".join(map(block, (first, first + 1))) + "id: cut\n"
        # In pieces that end anywhere.
        self._pieces = [text[at : at + 7].encode() for at in range(0, len(text), 7)]

    def __iter__(self) -> Iterator[bytes]:
        yield from self._pieces
        raise httpx2.RemoteProtocolError("cut")

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self:
            yield piece


def assert_resumed(service: Service, found: list[tuple[str, int]]) -> None:
    assert found == [("c1", 1), ("c2", 2), ("c3", 3), ("c4", 4)]
    assert [request.url.params.get("after") for request in service.requests] == [
        *(None, "c2", "c2", "c4"),
    ]
    assert service.requests[0].url.params.get("type") == "ad.sold"


def test_events_go_on_behind_the_last_one() -> None:
    service = Service()
    http = httpx2.Client(transport=httpx2.MockTransport(service))
    events = AdsvcClient(key="adsvc_1", http=http, retries=QUICK).events(type_=["ad.sold"])
    found = [(event.cursor, event.data.id) for event in islice(events, 4)]
    with pytest.raises(CursorExpiredError):
        next(events)
    assert_resumed(service, found)


async def test_events_go_on_when_awaited() -> None:
    service = Service()
    http = httpx2.AsyncClient(transport=httpx2.MockTransport(service))
    events = AsyncAdsvcClient(key="adsvc_1", http=http, retries=QUICK).events(type_=["ad.sold"])
    found = [await anext(events) for _ in range(4)]
    with pytest.raises(CursorExpiredError):
        await anext(events)
    assert_resumed(service, [(event.cursor, event.data.id) for event in found])


# As long as a deployment takes, and in the long form a minute: the attempts of a call would be over
# after some seconds.
OUTAGE_SECONDS = 60 if os.environ.get("OUTAGE") == "long" else 8


def test_events_go_on_after_the_service_was_away() -> None:
    """Nothing listens at the address meanwhile."""
    service, requests = Service(), 0

    def answer(request: httpx2.Request) -> httpx2.Response:
        nonlocal requests
        requests += 1
        if requests == 1:
            return service(request)
        if time.monotonic() < back:
            raise httpx2.ConnectError("refused", request=request)
        service.requests.append(request)
        return service(request)

    http = httpx2.Client(transport=httpx2.MockTransport(answer))
    events = AdsvcClient(key="adsvc_1", http=http).events(type_=["ad.sold"])
    found = [next(events).cursor for _ in range(2)]
    back = time.monotonic() + OUTAGE_SECONDS
    assert [*found, next(events).cursor] == ["c1", "c2", "c3"]
    assert 5 <= requests < 30
    events.close()


@pytest.mark.parametrize("status", [401, 403, 410, 400])
async def test_a_stream_waits_for_room_and_ends_with_a_refusal_that_stays(status: int) -> None:
    left = iter((429, 502, 503, status) * 2)
    http = httpx2.MockTransport(lambda _: problem(next(left), "refused"))
    once = Retries(attempts=1, first_wait=0.001)
    blocking = AdsvcClient(key="adsvc_1", http=httpx2.Client(transport=http), retries=once)
    with pytest.raises(ProblemError) as refused:
        next(blocking.my_events())
    assert refused.value.status == status
    awaited = AsyncAdsvcClient(key="adsvc_1", http=httpx2.AsyncClient(transport=http), retries=once)
    with pytest.raises(ProblemError) as refused:
        await anext(awaited.my_events())
    assert refused.value.status == status


def test_a_stream_that_is_not_to_reconnect_ends_with_its_connection() -> None:
    def answer(request: httpx2.Request) -> httpx2.Response:
        raise httpx2.ConnectError("refused", request=request)

    http = httpx2.Client(transport=httpx2.MockTransport(answer))
    with pytest.raises(NoAnswerError):
        next(AdsvcClient(http=http, retries=QUICK).events(reconnect=False))


def test_what_is_no_event_is_an_error() -> None:
    def answer(_: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(200, text="id: c1\nevent: ad.sold\ndata: <html>\n\n")

    client = AdsvcClient(http=httpx2.Client(transport=httpx2.MockTransport(answer)))
    with pytest.raises(UnexpectedAnswerError):
        next(client.events())


def test_a_stream_outlasts_its_token(service: str, name: str, photo: Path) -> None:
    """The tokens of this service last three seconds."""
    other = f"other-{name}"
    with AdsvcClient(service) as seller, AdsvcClient(service) as buyer:
        for client, username in ((seller, name), (buyer, other)):
            client.register(username=username, password=PASSWORD)
            client.login(username=username, password=PASSWORD)
        ad = seller.create_ad(title="Oak table", price=1, description="Solid oak.", images=[photo])
        buyer.add_favorite(ad.pk)
        following = buyer.my_events()
        first = next(following)
        assert (first.type, first.data) == ("unread", Unread(messages=0, notifications=0))
        for step, kind in (
            (seller.reserve_ad, "favoriteReserved"),
            (seller.sell_ad, "favoriteSold"),
        ):
            renewed = _renewed(buyer)
            while not renewed():
                buyer.get_me()
            step(ad.pk)
            noticed = (each.data for each in following if isinstance(each.data, Notification))
            assert next(noticed).type_ == kind
        following.close()


def _renewed(client: AdsvcClient) -> Callable[[], bool]:
    before = client._session.tokens
    return lambda: client._session.tokens is not before
