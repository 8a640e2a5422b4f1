"""The command line for developers, `adsvc-cli`: over the client, with the extra `cli`."""

import base64
import json
import os
import re
import secrets
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import httpx2
import typer

from . import UNSET, AdsvcClient, AdsvcError, Record, StreamedEvent
from ._generated.models import Message, TokenPair
from .connection import BASE_URL, BASE_URL_VARIABLE, KEY_VARIABLE
from .webhooks import PREFIX, sign_webhook

FORWARD_SECONDS = 15
# Between two looks at an import or a delivery.
POLL_SECONDS = 1
# The values of `Message.kind` and, of a notice, of its text.
EVENT_OF_MESSAGE = {"text": "message.sent", "offer": "offer.made", "notice": "message.sent"}
ACCEPTED = "accepted"

app = typer.Typer(no_args_is_help=True, help="Commands for developers who build on adsvc.")
ads = typer.Typer(no_args_is_help=True, help="List and post ads.")
events = typer.Typer(no_args_is_help=True, help="Follow what happens.")
webhooks = typer.Typer(no_args_is_help=True, help="Receive events on this machine.")
for name, group in (("ads", ads), ("events", events), ("webhooks", webhooks)):
    app.add_typer(group, name=name)

Forward = Annotated[str, typer.Option("--forward-to", help="A URL on this machine.")]
Types = Annotated[list[str] | None, typer.Option("--type", help="Only this type; repeatable.")]
Own = Annotated[bool, typer.Option("--own", help="What concerns the account, not the log.")]
Site = Annotated[bool, typer.Option("--site", help="Of the site, for administrators.")]


def _address() -> str:
    return os.environ.get(BASE_URL_VARIABLE) or BASE_URL


def _store() -> Path:
    configuration = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(configuration) / "adsvc" / "sessions.json"


def _sessions() -> dict[str, str]:
    """Refresh tokens by the addresses of services."""
    try:
        found: dict[str, str] = json.loads(_store().read_bytes())
    except FileNotFoundError:
        return {}
    return found


def _keep(pair: TokenPair) -> None:
    file = _store()
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    draft = file.with_suffix(f".{os.getpid()}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as written:
        json.dump({**_sessions(), _address(): pair.refresh_token}, written)
    draft.replace(file)


def _client() -> AdsvcClient:
    """With `ADSVC_KEY`, or else the session of `login`."""
    kept = None if os.environ.get(KEY_VARIABLE) else _sessions().get(_address())
    return AdsvcClient(refresh_token=kept, on_tokens=_keep)


def _plain(value: object) -> object:
    if isinstance(value, Record):
        return value.to_dict()  # type: ignore[attr-defined]
    return [_plain(each) for each in value] if isinstance(value, list) else value


def _show(value: object) -> None:
    typer.echo(json.dumps(_plain(value), ensure_ascii=False, default=repr))


@app.command()
def login(username: Annotated[str, typer.Option(prompt=True)]) -> None:
    """Begin a session, which later commands continue. ADSVC_BASE_URL says where the service is."""
    password = typer.prompt("Password", hide_input=True)
    with AdsvcClient(on_tokens=_keep) as client:
        client.login(username=username, password=password)
    typer.echo(f"Logged in at {_address()}.")


@ads.command("list")
def list_ads(
    q: Annotated[str, typer.Option(help="Words.")] = "",
    limit: Annotated[int, typer.Option(min=1, max=100)] = 20,
    *,
    mine: Annotated[bool, typer.Option("--mine", help="Those of the account.")] = False,
) -> None:
    """List ads, one JSON record a line."""
    with _client() as client:
        words = q or UNSET
        found = client.list_my_ads(limit=limit) if mine else client.list_ads(limit=limit, q=words)
        for ad in found.results:
            _show(ad)


@ads.command("post")
def post_ad(
    images: list[Path],
    title: Annotated[str, typer.Option()],
    price: Annotated[int, typer.Option()],
    description: Annotated[str, typer.Option()],
) -> None:
    """Post an ad with pictures."""
    with _client() as client:
        _show(
            client.create_ad(title=title, price=price, description=description, images=list(images))
        )


@ads.command("import")
def import_ads(
    file: Path,
    *,
    full: Annotated[bool, typer.Option("--full", help="Withdraw what the file lacks.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what it would do.")] = False,
) -> None:
    """Import a feed of ads, CSV or NDJSON, and follow it.

    One that waits for a confirmation is confirmed by `call confirmImport ID`.
    """
    with _client() as client:
        state = client.create_import(file, mode="full" if full else "partial", dry_run=dry_run)
        while state.status == "running":
            time.sleep(POLL_SECONDS)
            state = client.get_import(state.id)
        _show(state)
        for row in client.import_rows(state.id, status="failed"):
            _show(row)


@app.command()
def call(operation: str, arguments: Annotated[list[str] | None, typer.Argument()] = None) -> None:
    """Call any operation: `call getAd 42`, `call updateAd 42 price=90`. Values are JSON or text."""
    method = re.sub("([A-Z])", r"_\1", operation).lower()
    given = [argument.partition("=") for argument in arguments or ()]
    with _client() as client:
        function: Callable[..., Any] | None = getattr(client, method, None)
        if method.startswith("_") or not callable(function):
            raise typer.BadParameter(f"{operation} is no operation")
        in_path = [_value(text) for text, sign, _ in given if not sign]
        named = {name: _value(text) for name, sign, text in given if sign}
        result = function(*in_path, **named)
        for each in result if isinstance(result, Iterator) else [result]:
            _show(each)


def _value(text: str) -> object:
    try:
        value: object = json.loads(text)
    except ValueError:
        return text
    return value


@events.command("tail")
def tail(types: Types = None, after: str | None = None, *, own: Own = False) -> None:
    """Follow the log of events, or with --own what concerns the account; one JSON object a line."""
    with _client() as client:
        for event in _followed(client, after, own=own):
            if not types or event.type in types:
                _show(_outline(event))


def _outline(event: StreamedEvent[Any]) -> dict[str, object]:
    data = _plain(event.data) if isinstance(event.data, Record) else vars(event.data)
    return {"cursor": event.cursor, "type": event.type, "data": data}


def _followed(client: AdsvcClient, after: str | None, *, own: bool) -> Iterator[StreamedEvent[Any]]:
    return client.my_events(after=after) if own else client.events(after=after)


@webhooks.command("listen")
def listen(
    forward_to: Forward, types: Types = None, secret: str | None = None, *, own: Own = False
) -> None:
    """Forward events to a URL, signed as a webhook's are; the service need not reach the machine.

    The log needs a key with `events:read`. With --own the messages and offers that the account
    gets are forwarded.
    """
    secret = secret or PREFIX + base64.b64encode(secrets.token_bytes(32)).decode()
    typer.echo(f"Forwarding to {forward_to}, signed by {secret}", err=True)
    with _client() as client:
        for event in _followed(client, None, own=own):
            sent = _own_event(event.data) if own else event.data.to_dict()
            if sent is not None and (not types or sent["type"] in types):
                forward(forward_to, secret, sent)


def _own_event(data: object) -> dict[str, Any] | None:
    """As a webhook of the account would get it; None for what it would not."""
    if not isinstance(data, Message) or data.mine:
        return None
    kind = EVENT_OF_MESSAGE.get(data.kind, "message.sent")
    if data.kind == "notice" and data.text == ACCEPTED:
        kind = "offer.accepted"
    about = {"conversation": data.conversation, "message": data.id}
    return {"id": 0, "type": kind, "at": data.at, "ad": None, "user": None, "data": about}


def forward(url: str, secret: str, event: dict[str, Any]) -> int | None:
    """The status of the answer; None without one."""
    body = json.dumps(event)
    message = f"msg_{event['id']}_{secrets.token_hex(8)}"
    headers = sign_webhook(body, secret, message, int(time.time()))
    headers["Content-Type"] = "application/json"
    try:
        answer = httpx2.post(url, content=body, headers=headers, timeout=FORWARD_SECONDS)
        outcome, status = str(answer.status_code), answer.status_code
    except httpx2.RequestError as error:
        outcome, status = type(error).__name__, None
    now = datetime.now(UTC).strftime("%H:%M:%S")
    typer.echo(f"{now} {event['type']} {event['id']} -> {outcome}", err=True)
    return status


@webhooks.command("trigger")
def trigger(webhook: int, *, site: Site = False) -> None:
    """Send a test event to a webhook, and show what has become of it."""
    with _client() as client:
        (client.test_webhook if site else client.test_my_webhook)(webhook)
        listed = client.list_deliveries if site else client.list_my_deliveries
        while not (delivery := listed(webhook, limit=1).results[0]).attempts:
            time.sleep(POLL_SECONDS)
        _show(delivery)


def main() -> None:
    """The command. What the service refuses is one line, and the exit code 1."""
    try:
        app()
    except AdsvcError as error:
        typer.echo(f"adsvc-cli: {error}", err=True)
        raise SystemExit(1) from None
    except KeyboardInterrupt:
        raise SystemExit(130) from None
