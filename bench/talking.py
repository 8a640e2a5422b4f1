"""Conversations: sending messages, a long list of them, and how soon a message arrives."""

import asyncio
import socket
import statistics
import threading
import time
from itertools import count, islice

import asyncpg

from .floors import where
from .load import BenchError, Load
from .log import p95
from .report import Row, milliseconds
from .servers import PASSWORD, Client, serving_floor
from .streams import stream_of
from .throughput import WARM_UP_SECONDS, Scene, compared

SEND = "`POST /conversations/{id}/messages`"
LIST = "`GET /conversations`, of 100,000, one at a time"
LIST_GOAL = 3.0
STREAM = "from sending a message to the receiver's stream of another process, p95"
STREAM_GOAL = 1000.0
CONVERSATIONS = 100_000
# Whose messages the load sends.
PARTNERS = 1000
PACE_SECONDS = 0.1
DEALER, BUYER = "bench-dealer", "bench-buyer"

# Conversations of the dealer ($1) with the buyer ($2), each with a message. The newest ones are
# about ads, the others about ads that are gone.
TALK = """
    WITH numbered AS (SELECT id, row_number() OVER (ORDER BY id) AS number FROM ads),
    begun AS (
        INSERT INTO conversations (ad_id, title, buyer_id, seller_id)
        SELECT coalesce(numbered.id, -number), 'Oak table', $2, $1
        FROM generate_series($3::int, 1, -1) AS number LEFT JOIN numbered USING (number)
        ORDER BY number DESC RETURNING id
    )
    INSERT INTO messages (conversation_id, author_id, by, text)
    SELECT id, $2, 'buyer', 'Is it still there?' FROM begun ORDER BY id
"""
TOUCH = """
    UPDATE conversations AS c SET buyer_last = m.id, seller_last = m.id, seller_unread = 1
    FROM messages AS m WHERE m.conversation_id = c.id AND c.seller_id = $1
"""


def rows(scene: Scene) -> list[Row]:
    wanted = [work for work in (SEND, LIST, STREAM) if scene.options.only in work]
    if not wanted:
        return []
    scene.say(f"Making {CONVERSATIONS:,} conversations …")
    dealer, buyer = (_account(scene, name) for name in (DEALER, BUYER))
    asyncio.run(_talk(scene.database))
    found = dealer.ask(f"/conversations?limit={PARTNERS}").json["results"]
    assert isinstance(found, list)
    ids = [conversation["id"] for conversation in found]
    measures = {SEND: _sending, LIST: _listing, STREAM: _streamed}
    return [measures[work](scene, dealer, buyer, ids) for work in wanted]


def _account(scene: Scene, name: str) -> Client:
    account = {"username": name, "password": PASSWORD}
    scene.server.client().send_json("/register", account, expect=201)
    token = scene.server.client().send_json("/login", account)["access_token"]
    return scene.server.client(Authorization=f"Bearer {token}")


async def _talk(database: str) -> None:
    connection = await asyncpg.connect(**where(database))
    try:
        ids = [
            await connection.fetchval("SELECT id FROM users WHERE username = $1", name)
            for name in (DEALER, BUYER)
        ]
        await connection.execute(TALK, *ids, CONVERSATIONS)
        await connection.execute(TOUCH, ids[0])
        await connection.execute("VACUUM ANALYZE conversations")
    finally:
        await connection.close()


def _sending(scene: Scene, dealer: Client, _: Client, ids: list[int]) -> Row:
    headers = {**dealer.headers, "Content-Type": "application/json"}
    body = b'{"text": "It is still there."}'
    paths = [f"/conversations/{number}/messages" for number in ids]
    answers = {"/ads": scene.client.ask("/ads?limit=1")}
    with serving_floor(scene.directory, scene.database, answers) as floor:
        beside = Load(
            floor.url, [f"/comment?{ad}" for ad in scene.catalogue.ids], headers, body=body
        )
        ours = Load(scene.server.url, paths, headers, body=body)
        return compared(scene, SEND, None, "database floor of a comment", ours, beside)


def _listing(scene: Scene, dealer: Client, _: Client, __: list[int]) -> Row:
    scene.say(f"{LIST} …")
    load = Load(scene.server.url, ["/conversations?limit=20"], dealer.headers, connections=1)
    load.run(WARM_UP_SECONDS)
    found = [load.run(scene.options.seconds).p50 for _ in range(scene.options.rounds)]
    return Row(
        LIST,
        statistics.median(found),
        unit="ms",
        goal=LIST_GOAL,
        at_least=False,
        rounds=tuple(found),
    )


def _streamed(scene: Scene, dealer: Client, buyer: Client, ids: list[int]) -> Row:
    scene.say(f"{STREAM} …")
    texts, rounds = count(), []
    with scene.site.serving() as server:
        token = buyer.headers["Authorization"].removeprefix("Bearer ")
        with stream_of(server, token) as client:
            for _ in range(scene.options.rounds):
                number = round(max(scene.options.seconds, 5) / PACE_SECONDS)
                sent = {f"message number {text}.": 0.0 for text in islice(texts, number)}
                came: dict[str, float] = {}
                reader = threading.Thread(target=_read, args=(client, sent, came))
                reader.start()
                for text, conversation in zip(sent, ids, strict=False):
                    sent[text] = time.monotonic()
                    path = f"/conversations/{conversation}/messages"
                    dealer.send_json(path, {"text": text}, expect=201)
                    time.sleep(PACE_SECONDS)
                reader.join()
                if len(came) < number:
                    raise BenchError(f"{number - len(came)} of {number} messages did not come.")
                rounds.append([(came[text] - at) * 1000 for text, at in sent.items()])
    return Row(
        STREAM,
        statistics.median(map(p95, rounds)),
        ours=f"median {milliseconds([delay for found in rounds for delay in found])}",
        unit="ms",
        goal=STREAM_GOAL,
        at_least=False,
        rounds=tuple(map(p95, rounds)),
    )


def _read(client: socket.socket, sent: dict[str, float], came: dict[str, float]) -> None:
    """Until all have come, or nothing more does."""
    client.settimeout(20)
    rest = b""
    while len(came) < len(sent):
        try:
            piece = client.recv(65536)
        except TimeoutError:
            return
        if not piece:
            return
        *lines, rest = (rest + piece).split(b"\n")
        now = time.monotonic()
        for line in lines:
            came |= {text: now for text in sent if text.encode() in line and text not in came}
