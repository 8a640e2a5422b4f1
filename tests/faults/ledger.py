"""Writers that remember what they were promised, and the audit that asks for it.

Nothing is lost when every write answered 2xx is there afterwards and every picture is whole,
nothing answered 4xx is there, and a write that ended in 5xx or in silence is there or not, never
half.
"""

import asyncio
from dataclasses import dataclass, field
from io import BytesIO
from itertools import count
from random import Random
from typing import Protocol

import httpx2
from PIL import Image

from faults.served import register
from support.pictures.samples import encoded
from support.scene.api import Person, ad_form, image_form

Colour = tuple[int, int, int]
COLOURS: tuple[Colour, ...] = ((200, 30, 30), (30, 200, 30), (30, 30, 200), (200, 200, 30))
TOLERANCE = 12


class Reachable(Protocol):
    """What is written to: a service, or what stands before several."""

    def client(self) -> httpx2.AsyncClient: ...


def _picture(colour: Colour) -> bytes:
    return encoded(Image.new("RGB", (320, 240), colour), "JPEG", quality=92)


PICTURES = {colour: _picture(colour) for colour in COLOURS}


@dataclass
class Promise:
    """What an ad may look like: one way, or several while the fate of a change is unknown."""

    texts: set[str]
    colours: set[Colour]
    # None: perhaps.
    exists: bool | None = True
    comments: set[str] = field(default_factory=set)


@dataclass
class Ledger:
    ads: dict[int, Promise] = field(default_factory=dict)
    # Ads of which not even the id is known, by their text.
    perhaps: dict[str, Colour] = field(default_factory=dict)
    refused: set[str] = field(default_factory=set)
    kept: int = 0
    # Of those that brought a picture.
    uploads: int = 0
    unknown: int = 0
    # A proxy sends on to another server what may be repeated, so that an ad may be deleted twice.
    proxied: bool = False
    repeated: int = 0


def properties(text: str) -> dict[str, object]:
    """All three members say the same, so that half a change shows."""
    return {"title": text, "description": f"This is {text}", "price": sum(text.encode())}


class Writer:
    """One person who posts, changes and deletes ads without pause."""

    def __init__(self, person: Person, ledger: Ledger, seed: int) -> None:
        self._person = person
        self._ledger = ledger
        self._random = Random(seed)
        self._numbers = count()
        self._mine: dict[int, Promise] = {}

    def _new_text(self) -> str:
        return f"{self._person.username} {next(self._numbers)}"

    async def write(self) -> None:
        certain = [pk for pk, promise in self._mine.items() if promise.exists]
        actions = [self._create, self._create_badly]
        if certain:
            actions += [self._update, self._replace, self._comment, self._create]
        if len(certain) > 5:
            actions += [self._delete]
        await self._random.choice(actions)()

    def _one(self) -> tuple[int, Promise]:
        certain = [item for item in self._mine.items() if item[1].exists]
        return self._random.choice(certain)

    async def _outcome(self, method: str, path: str, **options: object) -> httpx2.Response | None:
        """The response; None when the outcome of the request is unknown."""
        try:
            answer = await self._person.request(method, path, **options)
        except httpx2.TransportError:
            self._ledger.unknown += 1
            # Whoever serves is not there; no use in asking a thousand times a second.
            await asyncio.sleep(0.02)
            return None
        if answer.is_server_error:
            assert answer.status_code == httpx2.codes.SERVICE_UNAVAILABLE, answer.text
            assert int(answer.headers["retry-after"]) >= 1
            self._ledger.unknown += 1
            await asyncio.sleep(0.02)
            return None
        self._ledger.kept += answer.is_success
        return answer

    async def _create(self) -> None:
        text, colour = self._new_text(), self._random.choice(COLOURS)
        form = ad_form(image=PICTURES[colour], **properties(text))
        answer = await self._outcome("POST", "/ads", files=form)
        if answer is None:
            self._ledger.perhaps[text] = colour
            return
        assert answer.status_code == httpx2.codes.CREATED, answer.text
        self._ledger.uploads += 1
        promise = Promise({text}, {colour})
        self._mine[answer.json()["pk"]] = self._ledger.ads[answer.json()["pk"]] = promise

    async def _create_badly(self) -> None:
        text = self._new_text()
        form = ad_form(image=b"no picture", **properties(text))
        self._ledger.refused.add(text)
        answer = await self._outcome("POST", "/ads", files=form)
        assert answer is None or answer.is_client_error

    async def _update(self) -> None:
        pk, promise = self._one()
        text = self._new_text()
        answer = await self._outcome("PATCH", f"/ads/{pk}", json=properties(text))
        assert answer is None or answer.is_success, answer.text
        promise.texts = promise.texts | {text} if answer is None else {text}

    async def _replace(self) -> None:
        pk, promise = self._one()
        colour = self._random.choice(COLOURS)
        form = image_form(PICTURES[colour])
        answer = await self._outcome("PATCH", f"/ads/{pk}/image", files=form)
        assert answer is None or answer.is_success, answer.text
        self._ledger.uploads += answer is not None
        promise.colours = promise.colours | {colour} if answer is None else {colour}

    async def _comment(self) -> None:
        pk, promise = self._one()
        text = self._new_text()
        answer = await self._outcome("POST", f"/ads/{pk}/comments", json={"text": text})
        if answer is not None:
            assert answer.is_success, answer.text
            promise.comments.add(text)

    async def _delete(self) -> None:
        pk, promise = self._one()
        answer = await self._outcome("DELETE", f"/ads/{pk}")
        if answer is not None and answer.status_code == httpx2.codes.NOT_FOUND:
            assert self._ledger.proxied, answer.text
            self._ledger.repeated += 1
        else:
            assert answer is None or answer.is_success, answer.text
        promise.exists = None if answer is None else False


class Losses(AssertionError):  # noqa: N818 - what an audit finds
    """What was promised and is not there, or is there and was not promised."""


async def audit(service: Reachable, ledger: Ledger) -> None:
    async with service.client() as client:
        reader = await register(client)
        found = await _all_ads(client)
        losses = [
            f"ad {pk} is lost" for pk, kept in ledger.ads.items() if kept.exists and pk not in found
        ]
        losses += [
            f"ad {pk} was deleted and is back"
            for pk, kept in ledger.ads.items()
            if kept.exists is False and pk in found
        ]
        for pk in found:
            losses += [f"ad {pk}: {loss}" for loss in await _judge(reader, ledger, pk)]
        # The token may have expired, or its session begun in what was lost.
        count = (await client.get("/ads", params={"limit": 1})).json()["count"]
        if count != len(found):
            losses.append(f"there are {len(found)} ads, and the count is {count}")
    if losses:
        raise Losses("\n".join(losses))


async def _all_ads(client: httpx2.AsyncClient) -> dict[int, dict[str, object]]:
    found: dict[int, dict[str, object]] = {}
    query: dict[str, str | int] = {"limit": 1000}
    while True:
        page = (await client.get("/ads", params=query)).json()
        found |= {ad["pk"]: ad for ad in page["results"]}
        if page["next"] is None:
            return found
        query = {"limit": 1000, "cursor": page["next"]}


async def _judge(reader: Person, ledger: Ledger, pk: int) -> list[str]:
    ad = (await reader.get(f"/ads/{pk}")).json()
    text = ad["title"]
    if {name: ad[name] for name in properties(text)} != properties(text):
        return ["half of a change is there"]
    promise = ledger.ads.get(pk)
    if promise is None:
        if text not in ledger.perhaps:
            return ["was never promised"]
        promise = Promise({text}, {ledger.perhaps[text]})
    losses = [] if text in promise.texts else ["its last change is lost"]
    losses += [] if text not in ledger.refused else ["was refused and is there"]
    [image] = ad["images"]
    for path in (ad["image"], *(variant["path"] for variant in image["variants"].values())):
        answer = await reader.client.get(path)
        if answer.status_code != httpx2.codes.OK:
            return [*losses, f"its picture is lost: {path}"]
        seen = Image.open(BytesIO(answer.content)).convert("RGB").getpixel((5, 5))
        assert isinstance(seen, tuple)
        if not any(_alike(seen, colour) for colour in promise.colours):
            losses.append(f"its picture is another: {path}")
    said = {
        comment["text"]
        for comment in (await reader.get(f"/ads/{pk}/comments?limit=1000")).json()["results"]
    }
    return losses + [f"comment {text} is lost" for text in promise.comments - said]


def _alike(seen: tuple[float, ...], colour: Colour) -> bool:
    return all(abs(one - other) <= TOLERANCE for one, other in zip(seen, colour, strict=True))


class Writers:
    """Several writers that work until they are stopped."""

    def __init__(self, service: Reachable, ledger: Ledger, *, number: int = 6) -> None:
        self._service = service
        self._ledger = ledger
        self._number = number
        self._tasks: list[asyncio.Task[None]] = []
        self._stopping = False

    async def start(self) -> None:
        self._stopping = False
        ready = asyncio.Barrier(self._number + 1)
        self._tasks = [asyncio.create_task(self._work(seed, ready)) for seed in range(self._number)]
        everybody = asyncio.create_task(ready.wait())
        await asyncio.wait([everybody, *self._tasks], return_when=asyncio.FIRST_COMPLETED)
        if not everybody.done():
            # One of them has failed already: the others must not wait for it.
            await ready.abort()
        await asyncio.gather(*(task for task in self._tasks if task.done()), everybody)

    def check(self) -> None:
        """Whoever has ended meanwhile has met what must not be, and it is raised."""
        for task in self._tasks:
            if task.done():
                task.result()

    async def stop(self) -> None:
        self._stopping = True
        await asyncio.gather(*self._tasks)

    async def _work(self, seed: int, ready: asyncio.Barrier) -> None:
        async with self._service.client() as client:
            writer = Writer(await register(client), self._ledger, seed)
            await ready.wait()
            while not self._stopping:
                await writer.write()
