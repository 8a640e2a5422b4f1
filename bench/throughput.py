"""How many requests a second, beside the floor that does the same work."""

import random
import statistics
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from .floors import PAGE
from .load import Load, interleaved
from .options import Options
from .pictures import CONTENT_TYPE, ad_form, picture_stored_as
from .report import Row, per_second
from .servers import Answer, Client, Server, Site, serving_floor

# How often sites see a request for each ad: for the second half as often as for the first.
ZIPF = "Zipf, s = 1.0"
ZIPF_REQUESTS = 200_000
# So many pages are more than the memory of answers holds.
PAGES = 5000
FIRST_PAGE = f"/ads?limit={PAGE}"
WARM_UP_SECONDS = 1.0


@dataclass
class Catalogue:
    """Places in the listing and ids of ads, in no order."""

    # Cursor, and the id of the ad before it.
    places: list[tuple[str, int]] = field(default_factory=list)
    ids: list[int] = field(default_factory=list)


def walk(client: Client, ads: int, pages: int) -> Catalogue:
    """From the newest ad to the oldest; so it comes in order."""
    found = Catalogue()
    limit = min(1000, max(PAGE, ads // pages))
    path = f"/ads?limit={limit}"
    while True:
        page = client.ask(path).json
        results = page["results"]
        assert isinstance(results, list)
        found.ids += [ad["pk"] for ad in results]
        if page["next"] is None:
            return found
        found.places.append((str(page["next"]), found.ids[-1]))
        path = f"/ads?limit={limit}&cursor={quote(str(page['next']))}"


def page_paths(catalogue: Catalogue) -> list[str]:
    return [f"{FIRST_PAGE}&cursor={quote(cursor)}" for cursor, _ in catalogue.places]


def by_zipf(paths: Sequence[str]) -> list[str]:
    """The same requests each time; the first of the paths is the most wanted."""
    weights = [1 / rank for rank in range(1, len(paths) + 1)]
    return random.Random(7).choices(paths, weights, k=ZIPF_REQUESTS)


@dataclass
class Scene:
    """The main table, served, and what is known of it."""

    options: Options
    directory: Path
    site: Site
    database: str
    server: Server
    authorization: str
    catalogue: Catalogue
    say: Callable[[str], None]

    @property
    def client(self) -> Client:
        return self.server.client(Authorization=self.authorization)

    def load(self, paths: list[str], **headers: str) -> Load:
        return Load(self.server.url, paths, headers)


@contextmanager
def scene(
    options: Options, directory: Path, site: Site, server: Server, database: str,
    say: Callable[[str], None],
) -> Iterator[Scene]:  # fmt: skip
    say("Collecting cursors and ids …")
    catalogue = walk(server.client(), site.ads, PAGES)
    shuffled = random.Random(5)
    shuffled.shuffle(catalogue.places)
    shuffled.shuffle(catalogue.ids)
    authorization = site.log_in(server)
    yield Scene(options, directory, site, database, server, authorization, catalogue, say)


def rows(scene: Scene) -> list[Row]:
    client = scene.client
    first = client.ask(FIRST_PAGE)
    ad_path = f"/ads/{scene.catalogue.ids[0]}"
    ad = client.ask(ad_path)
    etag = first.header("etag")
    unchanged = client.ask(FIRST_PAGE, headers={"If-None-Match": etag}, expect=304)
    picture_path = upload_picture(client)
    picture = client.ask(picture_path)
    answers = {"/first": first, "/unchanged": unchanged, "/ad": ad, "/picture": picture}
    # The upload was a change; nothing changes from here on.
    first_again = client.ask(FIRST_PAGE)
    answers |= {"/first": first_again, "/unchanged": _unchanged(client, first_again)}
    bearer = {"Authorization": scene.authorization}
    ids = scene.catalogue.ids
    by_id = [f"/ads/{ad_id}" for ad_id in ids]
    with serving_floor(scene.directory, scene.database, answers) as floor:

        def beside(paths: list[str], **headers: str) -> Load:
            return Load(floor.url, paths, headers)

        if_none_match = {"If-None-Match": first_again.header("etag")}
        pairs = [
            ("`GET /ads`, first page of 20, hot", 0.9, "HTTP floor",
             scene.load([FIRST_PAGE]), beside(["/first"])),
            ("`GET /ads`, pages all different, cold", 0.75, "database floor",
             scene.load(page_paths(scene.catalogue)),
             beside([f"/page?{last}" for _, last in scene.catalogue.places])),
            ("`GET /ads/{id}`, bearer token, random ids", 1.0, "database floor",
             scene.load(by_id, **bearer),
             beside([f"/one?{ad_id}" for ad_id in ids], **bearer)),
            (f"`GET /ads/{{id}}`, bearer token, {ZIPF}", None, "database floor",
             scene.load(by_zipf(by_id), **bearer),
             beside(by_zipf([f"/one?{ad_id}" for ad_id in ids]), **bearer)),
            ("`GET /ads/{id}`, HTTP Basic remembered, random ids", 0.5, "bearer token",
             scene.load(by_id, Authorization=scene.site.basic),
             # From the other end, or the one would find what the other has just left in memory.
             scene.load(by_id[::-1], **bearer)),
            ("`GET /ads/{id}`, bearer token, the same again", None, "HTTP floor",
             scene.load([ad_path], **bearer), beside(["/ad"], **bearer)),
            ("conditional `GET` → 304", 0.75, "HTTP floor",
             scene.load([FIRST_PAGE], **if_none_match), beside(["/unchanged"], **if_none_match)),
            (f"an image, {len(picture.body) / 1000:.0f} kB", 0.85, "HTTP floor",
             scene.load([picture_path]), beside(["/picture"])),
        ]  # fmt: skip
        # Changes come last: each of them makes kept answers void.
        pairs += _changes(scene, client, floor.url)
        return [compared(scene, *pair) for pair in pairs if scene.options.only in pair[0]]


def _changes(
    scene: Scene, client: Client, floor: str
) -> list[tuple[str, float | None, str, Load, Load]]:
    """Of the caller's own ads, so that the right to change them is found and not refused."""
    headers = {"Authorization": scene.authorization, "Content-Type": "application/json"}
    results = client.ask("/ads/me?limit=1000").json["results"]
    assert isinstance(results, list)
    own = [ad["pk"] for ad in results]

    def pair(
        work: str, goal: float, method: str, path: str, at_floor: str, ids: list[int], body: bytes
    ) -> tuple[str, float | None, str, Load, Load]:
        ours = Load(
            scene.server.url,
            [path.format(ad_id) for ad_id in ids],
            headers,
            body=body,
            method=method,
        )
        beside = Load(floor, [f"{at_floor}?{ad_id}" for ad_id in ids], headers, body=body)
        return work, goal, "database floor", ours, beside

    return [
        pair("`PATCH /ads/{id}`, a new price", 0.5, "PATCH", "/ads/{}", "/patch", own,
             b'{"price": 4711}'),
        pair("`POST /ads/{id}/comments`", 0.5, "POST", "/ads/{}/comments", "/comment",
             scene.catalogue.ids, b'{"text": "Is it still there?"}'),
    ]  # fmt: skip


def _unchanged(client: Client, first: Answer) -> Answer:
    return client.ask(FIRST_PAGE, headers={"If-None-Match": first.header("etag")}, expect=304)


def upload_picture(client: Client) -> str:
    """The path of a picture of 500 kB."""
    form = ad_form(picture_stored_as())
    ad = client.ask("/ads", body=form, headers={"Content-Type": CONTENT_TYPE}, expect=201)
    return str(ad.json["image"])


def compared(
    scene: Scene, work: str, goal: float | None, beside: str, ours: Load, floor: Load,
    *, least_seconds: float = WARM_UP_SECONDS,
) -> Row:  # fmt: skip
    """Requests that take long need more of them than the usual run has: `least_seconds`."""
    scene.say(f"{work} …")
    for load in (ours, floor):
        load.run(least_seconds)
    seconds = max(scene.options.seconds, least_seconds)
    found = interleaved(
        {
            "ours": lambda: ours.run(seconds).per_second,
            "floor": lambda: floor.run(seconds).per_second,
        },
        scene.options.rounds,
    )
    ratios = tuple(a / b for a, b in zip(found["ours"], found["floor"], strict=True))
    return Row(
        work,
        statistics.median(ratios),
        ours=per_second(found["ours"]),
        beside=f"{beside}: {per_second(found['floor'])}",
        goal=goal,
        rounds=ratios,
    )
