"""httptools' parser, for which an offer to upgrade is a header and nothing more."""

from typing import Protocol

import httptools

from adsvc.process.drain import ending

UPGRADE = b"upgrade"


class Reader(Protocol):
    """What the parser reads for: the protocol class of a connection."""

    url: bytes
    headers: list[tuple[bytes, bytes]]

    def is_over(self) -> bool:
        """Whether nothing is read any more."""


class RequestParser:
    """A server may ignore that a client offers another protocol (RFC 9110 §7.8).

    llhttp does not. It ends such a message with its head, because what follows would be in the
    other protocol, and then takes the body for the next request. So the head is parsed once more,
    without `Upgrade`, by a new parser, which goes on with the body. The reader ignores the first
    pass, in which `should_upgrade()` is true, and then sees the head a second time.
    """

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._begin()

    def _begin(self) -> None:
        parser = httptools.HttpRequestParser(self._reader)
        # As uvicorn has it: what follows a request that is to be the last is not an error.
        parser.set_dangerous_leniencies(lenient_data_after_close=True)
        self._parser = parser
        self.get_http_version = parser.get_http_version
        self.get_method = parser.get_method
        self.should_upgrade = parser.should_upgrade

    def should_keep_alive(self) -> bool:
        """Not when the process is about to end: a proxy then connects to another one."""
        return not ending.is_announced and self._parser.should_keep_alive()

    def feed_data(self, data: bytes) -> None:
        while data:
            try:
                self._parser.feed_data(data)
            except httptools.HttpParserUpgrade as offer:
                rest = data[offer.args[0] :]
            else:
                return
            if self._reader.is_over():
                return
            head = self._head_without_upgrade()
            self._begin()
            data = head + rest

    def _head_without_upgrade(self) -> bytes:
        method = self._parser.get_method()
        version = self._parser.get_http_version().encode()
        fields = [
            b"%b: %b\r\n" % (name, value) for name, value in self._reader.headers if name != UPGRADE
        ]
        return b"%b %b HTTP/%b\r\n%b\r\n" % (method, self._reader.url, version, b"".join(fields))
