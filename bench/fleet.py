"""Two nodes behind the reverse proxy, beside one on the same cores: what a fleet costs."""

import shutil
from dataclasses import replace

from .load import Load
from .proxy import proxying
from .report import Row
from .throughput import FIRST_PAGE, Scene, compared, page_paths

TWO = "two nodes behind the proxy: "
COLD, RANDOM, CHANGE = TWO + "cold pages", TWO + "random ads", TWO + "a new price"
NOTE = (
    "Load, proxy, nodes and database share the cores, so a second node brings none. Each node "
    "learns of every change."
)


def rows(scene: Scene) -> list[Row]:
    wanted = [work for work in (COLD, RANDOM, CHANGE) if scene.options.only in work]
    if not wanted:
        return []
    if shutil.which("nginx") is None:
        return [Row(work, None, note="Not measured: no nginx on the PATH.") for work in wanted]
    one = [scene.server.port]
    with (
        scene.site.serving() as second,
        proxying(scene, "one-node", one, FIRST_PAGE) as single,
        proxying(scene, "two-nodes", [*one, second.port], FIRST_PAGE) as double,
    ):
        loads = zip(_loads(scene, double.url), _loads(scene, single.url), strict=True)
        pairs = zip((COLD, RANDOM, CHANGE), loads, strict=True)
        found = [
            compared(scene, work, None, "one node", *pair) for work, pair in pairs if work in wanted
        ]
    return [replace(row, note=NOTE) for row in found]


def _loads(scene: Scene, url: str) -> tuple[Load, Load, Load]:
    bearer = {"Authorization": scene.authorization}
    results = scene.client.ask("/ads/me?limit=1000").json["results"]
    assert isinstance(results, list)
    return (
        Load(url, page_paths(scene.catalogue)),
        Load(url, [f"/ads/{ad_id}" for ad_id in scene.catalogue.ids], bearer),
        Load(
            url,
            [f"/ads/{ad['pk']}" for ad in results],
            {**bearer, "Content-Type": "application/json"},
            body=b'{"price": 4711}',
            method="PATCH",
        ),
    )
