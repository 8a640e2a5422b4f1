"""Addresses of clients, and their networks.

An IPv4 client of an IPv6 socket has an IPv4-mapped IPv6 address (RFC 4291 §2.5.5.2). It is counted
by its IPv4 address everywhere.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network

# What stands before the bits of the IPv4 address.
MAPPED_PREFIX = "::ffff:"
MAPPED_BITS = 96
IPV6_NETWORK_BITS = 64
# On /livez, `trusted` where the client's address is what a proxy says. `adsvc doctor` looks at it.
PROXY_HEADER = "x-proxy"


def unmapped(address: str) -> str:
    """Unmaps an IPv4-mapped IPv6 address. Other text is returned unchanged."""
    if not address.lower().startswith(MAPPED_PREFIX):
        return address
    try:
        mapped = getattr(ip_address(address), "ipv4_mapped", None)
    except ValueError:
        return address
    return address if mapped is None else str(mapped)


def unmapped_network(text: str) -> IPv4Network | IPv6Network:
    network = ip_network(text)
    mapped = getattr(network.network_address, "ipv4_mapped", None)
    if mapped is None or network.prefixlen < MAPPED_BITS:
        return network
    return IPv4Network((mapped, network.prefixlen - MAPPED_BITS))


def both_ways(networks: Iterable[str]) -> Iterator[str]:
    """Each network, and the IPv6 network by which an IPv4 one can be written too."""
    for text in networks:
        network = ip_network(text)
        yield text
        if isinstance(network, IPv4Network):
            prefix = network.prefixlen + MAPPED_BITS
            yield f"{MAPPED_PREFIX}{network.network_address}/{prefix}"


@lru_cache(4096)
def client_network(address: str) -> str:
    """The smallest network of one client: an IPv4 address, or the /64 of an IPv6 address."""
    if ":" not in address:
        return address
    try:
        return str(ip_network((address, IPV6_NETWORK_BITS), strict=False))
    except ValueError:
        return address
