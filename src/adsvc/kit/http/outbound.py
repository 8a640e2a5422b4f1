"""The rules for requests to addresses that users supply, such as webhooks: to public ones only.

`outbound_client` sends them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from pydantic_core import Url, ValidationError

from adsvc.kit.errors import AdsvcError

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

URL_MAX_LENGTH = 2048
# RFC 6052: an IPv4 address stands in the last 32 bits.
NAT64 = IPv6Network("64:ff9b::/96")
# IANA assigns addresses of hosts from nothing else.
GLOBAL_UNICAST = IPv6Network("2000::/3")
# Special purposes that some versions of Python count as global: IETF protocols (RFC 6890), relays
# of 6to4 (RFC 7526) and 6to4 itself (RFC 3056), ORCHID and Teredo (RFC 4380), and documentation
# (RFC 9637).
SPECIAL = tuple(
    ip_network(text)
    for text in ("192.0.0.0/24", "192.88.99.0/24", "2001::/23", "2002::/16", "3fff::/20")
)


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    # The first bytes only.
    body: bytes


class ForbiddenAddressError(AdsvcError):
    """No request will be sent there. The message says why, for who supplied the address."""


class UnreachableError(AdsvcError):
    """There was no answer in time. The message says why, and nothing of what was sent."""


def is_public(address: Address) -> bool:
    """Whether it is one of the internet, rather than a host's, a private network's or special."""
    if isinstance(address, IPv6Address):
        if address in NAT64:
            return is_public(IPv4Address(int(address) & 0xFFFF_FFFF))
        if address.ipv4_mapped is not None:
            return is_public(address.ipv4_mapped)
        if address not in GLOBAL_UNICAST:
            return False
    elif address.is_multicast or address.is_reserved:
        return False
    return address.is_global and not any(address in network for network in SPECIAL)


def checked_url(text: str, exceptions: Sequence[Network]) -> Url:
    """The URL as it is going to be requested.

    Raises `ForbiddenAddressError` for what the text alone excludes. A name may still lead to an
    address that is not public, which only a request finds out.
    """
    try:
        url = Url(text)
    except ValidationError:
        raise ForbiddenAddressError("must be a URL") from None
    if len(str(url)) > URL_MAX_LENGTH:
        raise ForbiddenAddressError(f"must have at most {URL_MAX_LENGTH} characters")
    if url.scheme != "https" and not (url.scheme == "http" and exceptions):
        raise ForbiddenAddressError("must begin with https://")
    if url.username is not None or url.password is not None or url.fragment is not None:
        raise ForbiddenAddressError("must have neither a user name nor a fragment")
    if not url.port or not host_of(url):
        raise ForbiddenAddressError("must name a host, and a port other than 0")
    literal = literal_address(host_of(url))
    if literal is not None:
        require_allowed(literal, url.scheme, exceptions)
    return url


def networks_of(texts: Iterable[str]) -> Sequence[Network]:
    return [ip_network(text) for text in texts]


def require_allowed(address: Address, scheme: str, exceptions: Sequence[Network]) -> None:
    """Raises `ForbiddenAddressError` unless connections to it are allowed."""
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    if any((mapped or address) in network for network in exceptions):
        return
    if not is_public(address):
        raise ForbiddenAddressError("must lead to public addresses only")
    if scheme != "https":
        raise ForbiddenAddressError("must begin with https://")


def host_of(url: Url) -> str:
    """Without the brackets of an address, and the last dot of a name, which no certificate has."""
    return (url.host or "").strip("[]").rstrip(".")


def literal_address(host: str) -> Address | None:
    try:
        return ip_address(host)
    except ValueError:
        return None
