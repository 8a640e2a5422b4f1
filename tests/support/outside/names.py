"""A DNS server in the test's own process, whose answers may change from one query to the next."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import cast

from dns import flags, message, rcode, rrset
from dns.asyncresolver import Resolver
from dns.rdatatype import RdataType

HOST = "127.0.0.1"

# Gets how often the name was resolved before.
Addresses = Callable[[int], Sequence[str]]


@dataclass
class Names(asyncio.DatagramProtocol):
    """`zone` has the addresses of each name, of both versions of IP."""

    zone: dict[str, Sequence[str] | Addresses] = field(default_factory=dict)
    queries: Counter[tuple[str, str]] = field(default_factory=Counter)
    _transport: asyncio.DatagramTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # Python's own is no subclass of it.
        self._transport = cast("asyncio.DatagramTransport", transport)

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        query = message.from_wire(data)
        question = query.question[0]
        name, kind = question.name.to_text(omit_final_dot=True), RdataType(question.rdtype).name
        found = self.zone.get(name.lower())
        addresses = found(self.queries[name, kind]) if callable(found) else found
        self.queries[name, kind] += 1
        response = message.make_response(query)
        response.flags |= flags.RA
        if addresses is None:
            response.set_rcode(rcode.NXDOMAIN)
        wanted = [each for each in addresses or () if (":" in each) == (kind == "AAAA")]
        if wanted:
            response.answer.append(rrset.from_text(question.name, 0, "IN", kind, *wanted))
        assert self._transport is not None
        self._transport.sendto(response.to_wire(), addr)

    @property
    def resolver(self) -> Resolver:
        assert self._transport is not None
        resolver = Resolver(configure=False)
        resolver.nameservers = [HOST]
        resolver.port = self._transport.get_extra_info("sockname")[1]
        return resolver


@asynccontextmanager
async def answering_names() -> AsyncIterator[Names]:
    names = Names()
    loop = asyncio.get_running_loop()
    transport, _ = await loop.create_datagram_endpoint(lambda: names, local_addr=(HOST, 0))
    try:
        yield names
    finally:
        transport.close()
