"""Requests to addresses that users supply: what is refused gets no connection."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpcore2
import pytest

from adsvc.kit.http.outbound import Answer, ForbiddenAddressError, UnreachableError, checked_url
from adsvc.kit.http.outbound_client import OutboundClient
from support.mail.server import make_certificate
from support.outside.names import Names, answering_names

PUBLIC, PUBLIC_6 = "93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"

# What each leads to is not public, however it is written.
ADDRESSES = (
    "https://127.0.0.1/",
    "https://127.1/",
    "https://127.255.255.254:8443/",
    "https://127.0.0.1./",
    "https://2130706433/",
    "https://0x7f000001/",
    "https://0x7f.0x0.0x0.0x1/",
    "https://017700000001/",
    "https://0177.0.0.01/",
    "https://%31%32%37.0.0.1/",
    "https://\N{FULLWIDTH DIGIT ONE}\N{FULLWIDTH DIGIT TWO}7.0.0.1/",
    "https://127\N{IDEOGRAPHIC FULL STOP}0\N{IDEOGRAPHIC FULL STOP}0\N{IDEOGRAPHIC FULL STOP}1/",
    "https://0/",
    "https://0.0.0.0/",
    "https://10.0.0.1/",
    "https://100.64.0.1/",
    "https://169.254.169.254/latest/meta-data/",
    "https://172.16.0.1/",
    "https://192.168.0.1/",
    "https://192.0.0.8/",
    "https://192.0.2.1/",
    "https://192.88.99.1/",
    "https://198.18.0.1/",
    "https://224.0.0.1/",
    "https://240.0.0.1/",
    "https://255.255.255.255/",
    "https://[::1]/",
    "https://[::]/",
    "https://[::127.0.0.1]/",
    "https://[::ffff:127.0.0.1]/",
    "https://[::ffff:0:127.0.0.1]/",
    "https://[64:ff9b::10.0.0.1]/",
    "https://[64:ff9b:1::10.0.0.1]/",
    "https://[100::1]/",
    "https://[2001::1]/",
    "https://[2001:db8::1]/",
    "https://[2002:7f00:1::]/",
    "https://[3fff::1]/",
    "https://[5f00::1]/",
    "https://[fc00::1]/",
    "https://[fd00:ec2::254]/",
    "https://[fe80::1]/",
    "https://[fec0::1]/",
    "https://[ff02::1]/",
)
# By name: each address alone, and after a public one.
INNER = (
    *("127.0.0.1", "10.1.2.3", "169.254.169.254", "100.100.100.200", "0.1.2.3", "192.168.1.1"),
    *("::1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "fd00::1", "fe80::1", "2002:a00:1::"),
)
NAMES = ("https://localhost/", "https://LOCALHOST./", "https://a.localhost:8443/")
TEXTS = (
    "", "example.com", "//example.com/", "http://example.com/", "ftp://example.com/",
    "file:///etc/passwd", "gopher://127.0.0.1:6379/_", "unix:///run/postgresql", "data:,x",
    "https://", "https://user@example.com/", "https://user:secret@example.com/",
    "https://example.com/#fragment", "https://example.com:0/", "https://example.com:65536/",
    "https://exa mple.com/", "https://[::1/", "https://.", f"https://example.com/{'a' * 2048}",
)  # fmt: skip


@dataclass
class Connections:
    """Those that would be opened; none of them is."""

    opened: list[tuple[str, int]] = field(default_factory=list)

    async def refuse(self, host: str, port: int, *_: object) -> httpcore2.AsyncNetworkStream:
        self.opened.append((host, port))
        raise httpcore2.ConnectError


@pytest.fixture
def connections(monkeypatch: pytest.MonkeyPatch) -> Connections:
    found = Connections()
    backend = "connect_tcp"
    monkeypatch.setattr(httpcore2.AnyIOBackend, backend, lambda _, *args: found.refuse(*args))
    return found


@pytest.fixture
async def names() -> AsyncIterator[Names]:
    async with answering_names() as found:
        yield found


@asynccontextmanager
async def client_of(names: Names | None = None, **options: object) -> AsyncIterator[OutboundClient]:
    resolver = None if names is None else names.resolver
    client = OutboundClient(resolver=resolver, **options)  # type: ignore[arg-type]
    try:
        yield client
    finally:
        await client.close()


async def outcome(client: OutboundClient, url: str, seconds: float = 5) -> Answer | type[Exception]:
    try:
        return await client.request(url, b"{}", {}, seconds=seconds)
    except (ForbiddenAddressError, UnreachableError) as error:
        return type(error)


@pytest.mark.guard
async def test_no_address_that_is_not_public_gets_a_connection(
    names: Names, connections: Connections
) -> None:
    urls = [*ADDRESSES, *NAMES]
    for number, inner in enumerate(INNER):
        alone, second = f"alone-{number}.test", f"second-{number}.test"
        names.zone[alone], names.zone[second] = [inner], [PUBLIC, PUBLIC_6, inner]
        urls += [f"https://{alone}/", f"https://{second}./hook"]
    assert len(urls) >= 40
    async with client_of(names) as client:
        found = {url: await outcome(client, url) for url in urls}
    assert {url: each for url, each in found.items() if each is not ForbiddenAddressError} == {}
    assert connections.opened == []


async def test_a_text_that_is_no_such_url_is_refused_without_a_query(
    names: Names, connections: Connections
) -> None:
    async with client_of(names) as client:
        for text in TEXTS:
            with pytest.raises(ForbiddenAddressError):
                checked_url(text, [])
            assert await outcome(client, text) is ForbiddenAddressError, text
    assert not names.queries
    assert connections.opened == []


@pytest.mark.guard
async def test_a_name_that_rebinds_gains_nothing(names: Names, connections: Connections) -> None:
    # Public at the first query, and this machine ever after.
    names.zone["rebinding.test"] = lambda before: ["127.0.0.1"] if before else [PUBLIC]
    async with client_of(names) as client:
        assert await outcome(client, "https://rebinding.test/") is UnreachableError
        assert connections.opened == [(PUBLIC, 443)]
        assert names.queries["rebinding.test", "A"] == 1
        assert await outcome(client, "https://rebinding.test/") is ForbiddenAddressError
    assert connections.opened == [(PUBLIC, 443)]


async def test_public_addresses_get_connections_one_after_the_other(
    names: Names, connections: Connections
) -> None:
    names.zone["public.test"] = [PUBLIC_6, PUBLIC]
    async with client_of(names) as client:
        for url in (
            "https://public.test:8443/hook?a=b",
            f"https://{PUBLIC}/",
            f"https://[64:ff9b::{PUBLIC}]/",
        ):
            assert await outcome(client, url) is UnreachableError
        assert await outcome(client, "https://no-such-name.test/") is UnreachableError
    assert connections.opened == [
        (PUBLIC, 8443),
        (PUBLIC_6, 8443),
        (PUBLIC, 443),
        ("64:ff9b::5db8:d70e", 443),
    ]


async def test_exceptions_are_those_networks_alone_and_http_is_for_them_alone(
    names: Names, connections: Connections
) -> None:
    names.zone |= {
        "inner.test": ["10.0.0.7"],
        "outer.test": [PUBLIC],
        "both.test": ["10.0.0.7", "10.1.0.7"],
    }
    async with client_of(names, exceptions=["10.0.0.0/16"]) as client:
        for url in ("http://inner.test/", "https://[::ffff:10.0.0.7]/", "https://outer.test/"):
            assert await outcome(client, url) is UnreachableError, url
        opened = list(connections.opened)
        for url in ("http://outer.test/", "http://both.test/", "https://127.0.0.1/"):
            assert await outcome(client, url) is ForbiddenAddressError, url
    assert opened == [("10.0.0.7", 80), ("::ffff:a00:7", 443), (PUBLIC, 443)]
    assert connections.opened == opened


@dataclass
class Listener:
    """What it received, in the order of its coming. It answers with `answer`."""

    port: int
    answer: bytes = b"HTTP/1.1 204 No Content\r\n\r\n"
    is_proxy: bool = False
    # Whether it keeps the connection open after its answer.
    is_slow: bool = False
    received: list[bytes] = field(default_factory=list)
    hosts: list[str | None] = field(default_factory=list)
    released: asyncio.Event = field(default_factory=asyncio.Event)


@asynccontextmanager
async def listening(certificate: Path | None = None) -> AsyncIterator[Listener]:
    listener = Listener(0)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            listener.received.append(head)
            if listener.is_proxy:
                writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
                listener.received.append(await reader.readuntil(b"\r\n\r\n"))
            writer.write(listener.answer)
            await writer.drain()
            if listener.is_slow:
                await listener.released.wait()
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    context = None
    if certificate is not None:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(certificate)
        context.sni_callback = lambda _, name, __: listener.hosts.append(name)
    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context)
    listener.port = server.sockets[0].getsockname()[1]
    try:
        yield listener
    finally:
        listener.released.set()
        server.close()


HERE = ["127.0.0.0/8"]


async def test_redirects_are_answers_like_others() -> None:
    async with listening() as listener, client_of(exceptions=HERE) as client:
        url = f"http://127.0.0.1:{listener.port}/"
        listener.answer = f"HTTP/1.1 302 Found\r\nLocation: {url}elsewhere\r\n\r\n".encode()
        assert await outcome(client, url) == Answer(302, b"")
        assert len(listener.received) == 1


async def test_time_and_bytes_are_bounded() -> None:
    async with listening() as listener, client_of(exceptions=HERE) as client:
        url = f"http://localhost:{listener.port}/"
        listener.is_slow = True
        listener.answer = b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n" + b"a" * 2000
        assert await outcome(client, url) == Answer(200, b"a" * 1024)
        listener.answer = b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 100_000
        assert await outcome(client, url) is UnreachableError
        listener.answer = b"no HTTP at all\r\n\r\n"
        assert await outcome(client, url) is UnreachableError
        listener.answer = b"HTTP/1.1 200 OK\r\n"
        assert await outcome(client, url, seconds=0.05) is UnreachableError


@pytest.mark.heavy
@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 103 Early Hints\r\n\r\n" * 20_000 + b"HTTP/1.1 204 No Content\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        + b"1\r\na\r\n" * 100_000
        + b"0\r\n\r\n",
    ],
)
async def test_an_answer_in_many_pieces_does_not_hold_the_event_loop(answer: bytes) -> None:
    async with listening() as listener, client_of(exceptions=HERE) as client:
        listener.answer = answer
        url = f"http://localhost:{listener.port}/"
        with pytest.raises(UnreachableError):
            await client.request(url, None, {}, seconds=30, max_bytes=10 << 20)
        listener.answer = (
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
            + (b"400\r\n" + b"a" * 1024 + b"\r\n") * 300
            + b"0\r\n\r\n"
        )
        found = await client.request(url, None, {}, seconds=30, max_bytes=10 << 20)
        assert len(found.body) == 300 * 1024


@pytest.mark.heavy  # It makes a certificate.
async def test_a_certificate_is_of_the_name_although_the_address_is_connected_to(
    names: Names, tmp_path: Path
) -> None:
    certificate = make_certificate(tmp_path, "DNS:hooks.test")
    trusted = ssl.create_default_context(cafile=str(certificate))
    names.zone |= {"hooks.test": ["127.0.0.1"], "other.test": ["127.0.0.1"]}
    async with listening(certificate) as listener:
        async with client_of(names, exceptions=HERE, trusted=trusted) as client:
            url = f"https://hooks.test:{listener.port}/a?b"
            assert await outcome(client, url) == Answer(204, b"")
            assert listener.hosts == ["hooks.test"]
            assert f"Host: hooks.test:{listener.port}".encode() in listener.received[0]
            # The certificate is another one's.
            other = f"https://other.test:{listener.port}/"
            assert await outcome(client, other) is UnreachableError
        async with client_of(names, exceptions=HERE) as client:
            assert await outcome(client, url) is UnreachableError
    assert len(listener.received) == 1


async def test_a_proxy_is_given_the_address_that_was_checked(names: Names) -> None:
    names.zone |= {"public.test": [PUBLIC], "inner.test": ["10.0.0.1"]}
    async with listening() as listener:
        proxy = f"http://user:s%40cret@127.0.0.1:{listener.port}"
        async with client_of(names, proxy=proxy) as client:
            listener.answer = b"HTTP/1.1 403 Forbidden\r\n\r\n"
            assert await outcome(client, "https://public.test/") is UnreachableError
            assert await outcome(client, "https://inner.test/") is ForbiddenAddressError
    assert [each.split(b"\r\n")[:3] for each in listener.received] == [
        [
            f"CONNECT {PUBLIC}:443 HTTP/1.1".encode(),
            f"Host: {PUBLIC}:443".encode(),
            b"Proxy-Authorization: Basic dXNlcjpzQGNyZXQ=",
        ]
    ]


async def test_a_request_goes_through_the_tunnel_of_a_proxy() -> None:
    async with (
        listening() as listener,
        client_of(exceptions=HERE, proxy=f"http://localhost:{listener.port}") as client,
    ):
        # It goes on as if it were the receiver.
        listener.is_proxy = True
        assert await outcome(client, "http://127.0.0.1:81/") == Answer(204, b"")
    assert [each.split(b"\r\n")[0] for each in listener.received] == [
        b"CONNECT 127.0.0.1:81 HTTP/1.1",
        b"POST / HTTP/1.1",
    ]
