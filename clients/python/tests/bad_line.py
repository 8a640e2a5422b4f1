"""A proxy that loses, refuses and holds back what it is told to, and notes what went by."""

import socket
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self

import httpx2

PROBLEM = "application/problem+json"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@dataclass(frozen=True)
class Seen:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Fault:
    method: str
    path: str
    act: Callable[[Callable[[], httpx2.Response]], httpx2.Response | None]


@dataclass
class BadLine:
    service: str
    seen: list[Seen] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __enter__(self) -> Self:
        self.upstream = httpx2.Client(
            base_url=self.service, timeout=30, limits=httpx2.Limits(keepalive_expiry=1)
        )
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), type("", (Handler,), {"line": self}))
        self._server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self.upstream.close()

    def redirect(self, method: str, path: str, address: str) -> None:
        """The next such request is led to another address."""
        answer = httpx2.Response(307, headers={"Location": address})
        self.faults.append(Fault(method, path, lambda _: answer))

    def lose_answer(self, method: str, path: str) -> None:
        """The service does what the next such request asks for; nobody hears of it."""

        def act(ask: Callable[[], httpx2.Response]) -> None:
            answer = ask()
            answer.read()
            assert answer.is_success, answer.text

        self.faults.append(Fault(method, path, act))

    def refuse(
        self,
        method: str,
        path: str,
        status: int,
        retry_after: int | None = None,
        problem: str | None = None,
    ) -> None:
        """The next such request does not reach the service. `problem` is the type of the answer."""
        headers = {"Content-Type": PROBLEM if problem else "text/plain"}
        if retry_after is not None:
            headers["Retry-After"] = str(retry_after)

        def act(_: object) -> httpx2.Response:
            return httpx2.Response(status, headers=headers, text=f'{{"type": "{problem}"}}')

        self.faults.append(Fault(method, path, act))

    def hold(self, method: str, path: str, arrived: threading.Event, go: threading.Event) -> None:
        """The answer to the next such request waits for `go`."""

        def act(ask: Callable[[], httpx2.Response]) -> httpx2.Response:
            arrived.set()
            assert go.wait(30)
            return ask()

        self.faults.append(Fault(method, path, act))

    def requests(self, method: str, path: str) -> list[Seen]:
        return [one for one in self.seen if (one.method, one.path) == (method, path)]

    def fault_for(self, seen: Seen) -> Fault | None:
        with self._lock:
            self.seen.append(seen)
            for fault in self.faults:
                if (fault.method, fault.path) == (seen.method, seen.path):
                    self.faults.remove(fault)
                    return fault
        return None


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    line: BadLine

    def handle_one_request(self) -> None:
        try:
            super().handle_one_request()
        except OSError:
            self.close_connection = True

    def log_message(self, *_: object) -> None:
        pass

    def answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        path = self.path.partition("?")[0]
        seen = Seen(self.command, path, dict(self.headers.items()), body)
        fault = self.line.fault_for(seen)
        answer = fault.act(lambda: self.ask(seen)) if fault else self.ask(seen)
        if answer is None:
            self.close_connection = True
        else:
            self.pass_on(answer)

    def ask(self, seen: Seen) -> httpx2.Response:
        dropped = {"host", "connection", "content-length"}
        headers = {key: text for key, text in seen.headers.items() if key.lower() not in dropped}
        request = self.line.upstream.build_request(
            seen.method, self.path, headers=headers, content=seen.body
        )
        return self.line.upstream.send(request, stream=True)

    def pass_on(self, answer: httpx2.Response) -> None:
        content = answer.read() if answer.is_stream_consumed else b"".join(answer.iter_raw())
        answer.close()
        self.send_response_only(answer.status_code)
        for key, text in answer.headers.items():
            if key not in {"connection", "content-length", "transfer-encoding"}:
                self.send_header(key, text)
        if answer.status_code != httpx2.codes.NO_CONTENT:
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = answer  # noqa: N815 - http.server's
