"""How much a reader has to walk: files, lines, imports, and the modules that a request passes.

    .venv/bin/python tools/shape.py [--list]

A request is traced in the event loop's thread, in a service with an embedded PostgreSQL: how many
modules of `src/adsvc` it runs code of, and how often the running module changes. What runs beside
it, such as the sequencer, does not count. `--list` names these modules in the order of first entry,
each with how often it was entered from another one.
"""

import ast
import asyncio
import io
import json
import sys
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any

import asyncpg
import httpx2
from PIL import Image
from pydantic import SecretStr
from sqlalchemy import make_url

from adsvc import migrations
from adsvc.main import create_app
from adsvc.settings import Jobs, Settings, Storefront
from adsvc_ops.embedded import EmbeddedPostgres

SOURCE = Path(__file__).resolve().parents[1] / "src/adsvc"

TOOLS = SOURCE.with_name("adsvc_ops")

FAST = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}

PASSWORD = "correct horse battery"  # noqa: S105 - of this program's own accounts

SHORT, LONG = 60, 600


# Whether the running code belongs to the traced request: its tasks and callbacks copy the context.
is_traced: ContextVar[bool] = ContextVar("is_traced", default=False)


class Trace:
    """The modules whose functions are entered, or gone on with, one after another."""

    def __init__(self) -> None:
        self.modules: list[str] = []

    @contextmanager
    def running(self) -> Iterator[None]:
        self.modules.clear()
        token = is_traced.set(True)
        sys.setprofile(self._note)
        try:
            yield
        finally:
            sys.setprofile(None)
            is_traced.reset(token)

    def _note(self, frame: FrameType, event: str, _: object) -> None:
        is_own = frame.f_code.co_filename.startswith(f"{SOURCE}/")
        if event == "call" and is_own and is_traced.get():
            self.modules.append(frame.f_code.co_filename)

    def __str__(self) -> str:
        pairs = zip(self.modules, self.modules[1:], strict=False)
        changes = sum(before != after for before, after in pairs)
        return f"{len(set(self.modules)):4} modules, {changes:4} changes of module"

    def entries(self) -> Counter[str]:
        """How often each module was entered, in the order of first entry."""
        return Counter(
            str(Path(module).relative_to(SOURCE))
            for before, module in zip(["", *self.modules], self.modules, strict=False)
            if module != before
        )


def show_files(title: str, *directories: Path) -> None:
    counts: dict[str, int] = {"files": 0, "lines": 0, "imports": 0, "short": 0, "longest": 0}
    for path in (path for directory in directories for path in directory.rglob("*.py")):
        text = path.read_text()
        lines = len(text.splitlines())
        imports = [
            n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Import | ast.ImportFrom)
        ]
        counts["files"] += 1
        counts["lines"] += lines
        counts["imports"] += sum((n.end_lineno or n.lineno) - n.lineno + 1 for n in imports)
        counts["short"] += 0 < lines < SHORT and path.name != "__init__.py"
        counts["longest"] = max(counts["longest"], lines)
    share = counts["imports"] / counts["lines"]
    print(f"{title}: {counts['files']} files, {counts['lines']:,} lines, {share:.1%} imports")
    print(f"{counts['short']} modules under {SHORT} lines, the longest has {counts['longest']}")


async def show_requests(database_url: str, data_dir: Path, *, with_list: bool) -> None:
    settings = Settings(
        database_url=SecretStr(database_url),
        jwt_secret=SecretStr("0123456789abcdefghijklmnopqrstuvwxyz"),
        data_dir=data_dir,
        storefront=Storefront.OFF,
        # They would run beside the requests that are traced.
        jobs=Jobs.OFF,
    )
    app = create_app(settings)
    transport = httpx2.ASGITransport(app)
    async with (
        app.router.lifespan_context(app),
        httpx2.AsyncClient(transport=transport, base_url="http://shape") as client,
    ):
        author, reporter, admin = [await _account(client, name) for name in ("ann", "bob", "eve")]
        await _administrator(database_url, "eve@example.org")
        # Once before it is traced: what is made at first use is no part of a request.
        ads = [await _post(client, author) for _ in range(2)]
        trace = Trace()

        async def show(name: str, method: str, path: str, **sent: Any) -> httpx2.Response:  # noqa: ANN401
            with trace.running():
                answer = await client.request(method, path, **sent)
            answer.raise_for_status()
            print(f"{name:28}{trace}")
            if with_list:
                for module, entries in trace.entries().items():
                    print(f"  {entries:4} {module}")
            return answer

        await show("POST /ads", "POST", "/ads", headers=author, files=_form())
        await client.get("/ads?limit=3")
        await show("GET /ads, cold", "GET", "/ads?limit=2")
        await show("GET /ads, hot", "GET", "/ads?limit=2")
        await client.get("/ads?q=sofa")
        await show("GET /ads?q=, cold", "GET", "/ads?q=oak")
        await show("GET /users/me", "GET", "/users/me", headers=reporter)
        credentials = {"username": "bob@example.org", "password": PASSWORD}
        await show("POST /login", "POST", "/login", json=credentials)
        first = {"text": "Is it still there?"}
        begun = await client.post(f"/ads/{ads[0]}/messages", headers=reporter, json=first)
        talk = f"/conversations/{begun.json()['conversation']}/messages"
        await client.post(talk, headers=reporter, json=first)
        await show("A message", "POST", talk, headers=reporter, json=first)
        await show("GET /ads/{id}, cold", "GET", f"/ads/{ads[0]}", headers=reporter)
        await show("PATCH /ads/{id}", "PATCH", f"/ads/{ads[0]}", headers=author, json={"price": 2})
        report = {"reason": "scam", "text": "Asks for money in advance."}
        await client.post(f"/ads/{ads[1]}/reports", headers=reporter, json=report)
        cases = (await client.get("/moderation/cases", headers=admin)).json()["results"]
        decision = {"action": "suspendAd", "ground": "terms", "explanation": "No such thing."}
        path = f"/moderation/cases/{cases[0]['id']}/decisions"
        await show("A decision about a case", "POST", path, headers=admin, json=decision)


async def _account(client: httpx2.AsyncClient, name: str) -> dict[str, str]:
    credentials = {"username": f"{name}@example.org", "password": PASSWORD}
    person = {"firstName": name, "lastName": "", "phone": ""}
    (await client.post("/register", json={**credentials, **person})).raise_for_status()
    tokens = (await client.post("/login", json=credentials)).json()
    return {"Authorization": f"Bearer {tokens['access_token']}"}


async def _administrator(database_url: str, username: str) -> None:
    connection = await asyncpg.connect(database_url.replace("+asyncpg", ""))
    await connection.execute("UPDATE users SET role = 'ADMIN' WHERE username = $1", username)
    await connection.close()


async def _post(client: httpx2.AsyncClient, author: dict[str, str]) -> int:
    answer = await client.post("/ads", headers=author, files=_form())
    answer.raise_for_status()
    return int(answer.json()["pk"])


def _form() -> dict[str, Any]:
    picture = io.BytesIO()
    Image.new("RGB", (64, 64), "teal").save(picture, "JPEG")
    properties = {"title": "Oak table", "price": 1, "description": "Solid oak, one scratch."}
    return {
        "properties": ("blob", json.dumps(properties).encode(), "application/json"),
        "image": ("photo.jpg", picture.getvalue(), "image/jpeg"),
    }


def main() -> None:
    parser = ArgumentParser(description="Files, lines, imports, and modules passed by requests.")
    parser.add_argument("--list", action="store_true", help="name the modules of each request")
    arguments = parser.parse_args()
    show_files("The service", SOURCE)
    show_files("With the operator's tools", SOURCE, TOOLS)
    with (
        TemporaryDirectory(prefix="adsvc-") as directory,
        EmbeddedPostgres(Path(directory) / "postgres", options=FAST) as postgres,
    ):
        data_dir = Path(directory) / "data"
        asyncio.run(_migrate_and_show(postgres.url, data_dir, with_list=arguments.list))


async def _migrate_and_show(database_url: str, data_dir: Path, *, with_list: bool) -> None:
    await migrations.upgrade(make_url(database_url), language="english")
    await show_requests(database_url, data_dir, with_list=with_list)


if __name__ == "__main__":
    main()
