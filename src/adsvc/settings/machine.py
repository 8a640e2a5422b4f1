"""Defaults that depend on the machine; the page about settings quotes the docstrings."""

import os
import socket


def all_cores() -> int:
    """The cores."""
    return os.cpu_count() or 1


def half_of_the_cores() -> int:
    """Half of the cores."""
    # The event loop and the database need the rest.
    return max(1, all_cores() // 2)


def half_of_the_cores_but_two() -> int:
    """Half of the cores, at least 2."""
    # More searches at once would not end sooner, and would leave less for everything else.
    return max(2, half_of_the_cores())


def machine_name() -> str:
    """The machine's name."""
    return socket.gethostname()
