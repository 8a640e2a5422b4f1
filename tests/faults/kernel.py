"""What the kernel says about processes."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

PROC = Path("/proc")
MEBIBYTE = 1024 * 1024
DEATH_SECONDS = 10


def _parents() -> Iterator[tuple[int, int]]:
    for entry in PROC.iterdir():
        if entry.name.isdecimal():
            with suppress(OSError):
                # The name, in parentheses, may hold anything.
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
                # A zombie has ended already.
                if fields[0] != "Z":
                    yield int(entry.name), int(fields[1])


def descendants(pid: int) -> list[int]:
    """The processes below this one, however deep."""
    parents = list(_parents())
    found, wave = [], [pid]
    while wave:
        wave = [child for child, parent in parents if parent in wave]
        found += wave
    return found


def is_alive(pid: int) -> bool:
    return any(found == pid for found, _ in _parents())


def signal_all(pids: list[int], number: signal.Signals) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, number)


def kill_at_once(processes: Callable[[], list[int]]) -> None:
    """All of them at once, so that none can save or send anything while another dies."""
    for _ in range(2):
        # The second time there are no new ones, for who would have made them stands still.
        found = processes()
        signal_all(found, signal.SIGSTOP)
    signal_all(found, signal.SIGKILL)
    deadline = time.monotonic() + DEATH_SECONDS
    while any(is_alive(pid) for pid in found):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def _status(pid: int, field: str) -> int:
    for line in (PROC / str(pid) / "status").read_text().splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1]) * 1024
    raise AssertionError(field)


def resident(pid: int) -> int:
    """How much memory the process has, in bytes."""
    return _status(pid, "VmRSS")


def peak(pid: int) -> int:
    """The most it has had since `forget_peak`."""
    return _status(pid, "VmHWM")


def forget_peak(pid: int) -> None:
    (PROC / str(pid) / "clear_refs").write_text("5")


def open_sockets(pid: int) -> int:
    found = 0
    for descriptor in (PROC / str(pid) / "fd").iterdir():
        with suppress(OSError):
            found += str(descriptor.readlink()).startswith("socket:")
    return found


def command(pid: int) -> bytes:
    try:
        return (PROC / str(pid) / "cmdline").read_bytes()
    except OSError:
        return b""


def open_files(pid: int) -> int:
    """Files, not sockets and pipes; among them those without a name."""
    found = 0
    for descriptor in (PROC / str(pid) / "fd").iterdir():
        with suppress(OSError):
            found += str(descriptor.readlink()).startswith("/")
    return found


def file_bytes(pid: int) -> int:
    """How much is in the files that it has open, those without a name included."""
    found = 0
    for descriptor in (PROC / str(pid) / "fd").iterdir():
        with suppress(OSError):
            if descriptor.is_file():
                found += descriptor.stat().st_size
    return found


def is_running(pid: int) -> bool:
    """Whether it computes just now."""
    try:
        fields = (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return False
    return fields[0] == "R"


def unsent(port: int) -> list[int]:
    """Of each connection to the port, the bytes that the kernel keeps until they are taken."""
    lines = (PROC / "net/tcp").read_text().splitlines()[1:]
    connections = (line.split() for line in lines)
    return [
        int(fields[4].partition(":")[0], 16)
        for fields in connections
        if int(fields[1].partition(":")[2], 16) == port
    ]
