"""What is done with files in one turn of a thread: durable writes, durable removals."""

import os
import secrets
from collections.abc import Collection, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path


def write_all(files: Mapping[Path, bytes]) -> None:
    """All of them are durable when this returns. If it raises, none is there."""
    # Two processes may write the same variants. What one of them left when it was killed is
    # nobody's.
    mark = secrets.token_hex(4)
    drafts = {path: path.with_name(f".{path.name}.{mark}.tmp") for path in files}
    try:
        with ExitStack() as stack:
            # Written first, then synced: the file system needs one commit for all of them.
            opened = [stack.enter_context(drafts[path].open("xb")) for path in files]
            for file, data in zip(opened, files.values(), strict=True):
                file.write(data)
                file.flush()
            for file in opened:
                os.fsync(file.fileno())
        for path, draft in drafts.items():
            draft.replace(path)
        # A rename is durable only when the directory that holds the name is.
        sync_directories({path.parent for path in files})
    except BaseException:
        remove_all([*drafts.values(), *files])
        raise


def sync_directories(directories: Collection[Path]) -> None:
    for directory in directories:
        descriptor = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def remove_all(files: Sequence[Path]) -> None:
    for file in files:
        with suppress(OSError):
            file.unlink()


def unlinked(directory: Path, names: Sequence[str]) -> list[str]:
    """Those of the names that the directory does not hold any more, for good."""
    descriptor = os.open(directory, os.O_RDONLY)
    gone = []
    try:
        for name in names:
            try:
                os.unlink(name, dir_fd=descriptor)
            except FileNotFoundError:
                pass
            except OSError:
                continue
            gone.append(name)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    return gone
