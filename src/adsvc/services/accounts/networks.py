"""Groups addresses by network."""

import hashlib
import hmac
from collections.abc import Hashable
from ipaddress import IPv4Address, IPv6Address, ip_address

from adsvc.bulkheads.admission import Client
from adsvc.settings import Settings

# A home or a server gets this much of the IPv6 space, so a single address identifies no one.
IPV6_NETWORK_BITS = 64

# A subscriber may have as much: sites and tunnels get a /56 or a /48.
IPV6_WIDER_BITS = (56, 48)

IPV4_WIDER_BITS = (24,)


def _parsed(address: str) -> IPv4Address | IPv6Address | None:
    try:
        parsed = ip_address(address)
    except ValueError:
        return None
    return getattr(parsed, "ipv4_mapped", None) or parsed


def _around(address: IPv4Address | IPv6Address, bits: int) -> str:
    shift = address.max_prefixlen - bits
    return str(type(address)(int(address) >> shift << shift))


def network(address: str) -> str:
    """The network that counts as one client: an IPv4 address, or the /64 of an IPv6 address."""
    parsed = _parsed(address)
    if isinstance(parsed, IPv6Address):
        return _around(parsed, IPV6_NETWORK_BITS)
    return address if parsed is None else str(parsed)


def wider_networks(address: str) -> list[str]:
    """The wider networks around the address that may belong to one person as a whole."""
    parsed = _parsed(address)
    if parsed is None:
        return []
    widths = IPV6_WIDER_BITS if isinstance(parsed, IPv6Address) else IPV4_WIDER_BITS
    return [f"{_around(parsed, bits)}/{bits}" for bits in widths]


def party_of(account: Hashable | None, address: str) -> Client:
    return Client(account, (network(address), *wider_networks(address)))


def network_digest(settings: Settings, user_id: int, address: str) -> bytes:
    """The digest of a network, by which the sessions of an account recognise it.

    It is keyed, because there are so few IPv4 addresses that all could be tried. Two accounts in
    one network have different digests.
    """
    message = f"adsvc network\0{user_id}\0{network(address)}".encode()
    return hmac.digest(settings.required_jwt_secret().encode(), message, hashlib.sha256)[:16]
