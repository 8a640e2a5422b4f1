"""Addresses of clients, and their networks.

An IPv4 client of an IPv6 socket has an IPv4-mapped IPv6 address (RFC 4291 §2.5.5.2). It is counted
by its IPv4 address everywhere.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

# The text before the bits of the IPv4 address.
MAPPED_PREFIX = "::ffff:"
MAPPED_BITS = 96
# A home or a server gets this much of the IPv6 space, so a single address identifies no one.
IPV6_NETWORK_BITS = 64
# A subscriber may have as much: sites and tunnels get a /56 or a /48.
IPV6_WIDER_BITS = (56, 48)
IPV4_WIDER_BITS = (24,)
# On /livez, `trusted` if a proxy gives the client's address. `adsvc doctor` checks it.
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
    """The network of one client: an IPv4 address, or the first address of a /64 of IPv6.

    Other text is returned unchanged.
    """
    parsed = address_from(address)
    if isinstance(parsed, IPv6Address):
        return _network(parsed, IPV6_NETWORK_BITS)
    return address if parsed is None else str(parsed)


@lru_cache(4096)
def wider_networks(address: str) -> tuple[str, ...]:
    """The wider networks around the address that may belong to one person as a whole."""
    parsed = address_from(address)
    if parsed is None:
        return ()
    widths = IPV6_WIDER_BITS if isinstance(parsed, IPv6Address) else IPV4_WIDER_BITS
    return tuple(f"{_network(parsed, bits)}/{bits}" for bits in widths)


def address_from(address: str) -> IPv4Address | IPv6Address | None:
    """Unmapped; None for other text."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return None
    return getattr(parsed, "ipv4_mapped", None) or parsed


def is_loopback(host: str) -> bool:
    parsed = address_from(host)
    return host == "localhost" if parsed is None else parsed.is_loopback


def _network(address: IPv4Address | IPv6Address, bits: int) -> str:
    shift = address.max_prefixlen - bits
    return str(type(address)(int(address) >> shift << shift))
