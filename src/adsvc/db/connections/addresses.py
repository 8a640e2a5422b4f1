"""Where the servers of a database are."""

from collections.abc import Mapping

from sqlalchemy.engine import URL

# Host and port; without a host asyncpg looks where PostgreSQL usually is.
Address = tuple[str | None, int | None]


def addresses(url: URL) -> list[Address]:
    """Where the servers are; several stand in `host`, as `settings.database_urls` leaves them."""
    port = url.port or url.query.get("port")
    usual = int(str(port)) if port else None
    hosts = url.host or url.query.get("host")
    if hosts is None:
        return [(None, usual)]
    return [_address(host, usual) for host in ((hosts,) if isinstance(hosts, str) else hosts)]


def _address(text: str, usual: int | None) -> Address:
    host, _, port = text.rpartition(":")
    if text.startswith("["):
        # The colons of an IPv6 address are within brackets.
        return (host[1:-1], int(port)) if host.endswith("]") else (text[1:-1], usual)
    if text.count(":") == 1 and not text.startswith("/"):
        return host, int(port)
    return text, usual


def location(url: URL) -> str:
    """Where the database is, for messages: no user and no password."""
    return f"{url.database} on {', '.join(map(_place, addresses(url)))}"


def each_alone(url: URL) -> Mapping[str, URL]:
    """A URL for each of the servers, whatever it is now, by a name of it for operators."""
    url = url.difference_update_query(["target_session_attrs"])
    hosts = url.query.get("host")
    if hosts is None or isinstance(hosts, str):
        return {_place(addresses(url)[0]): url}
    alone = [url.update_query_dict({"host": host}) for host in hosts]
    return {_place(addresses(one)[0]): one for one in alone}


def _place(address: Address) -> str:
    host, port = address
    return (host or "localhost") + (f":{port}" if port else "")
