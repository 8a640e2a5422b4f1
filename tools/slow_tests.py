"""A pytest plugin: lists slow tests without the mark `heavy`, and quick tests with it.

The time of a test is that of its call; of several parameters the slowest counts. A marked test is
quick only if its own fixtures are quick as well, as these often start what makes it heavy.
"""

from collections import defaultdict

import pytest

SLOW_SECONDS = 0.15
QUICK_SECONDS = 0.05

_marks: dict[str, set[str]] = {}
_calls: dict[str, float] = defaultdict(float)
_totals: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    function = report.nodeid.partition("[")[0]
    _marks[function] = set(report.keywords)
    _totals[function][report.nodeid] += report.duration
    if report.when == "call":
        _calls[function] = max(_calls[function], report.duration)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    unmarked = [
        (seconds, function)
        for function, seconds in _calls.items()
        if seconds > SLOW_SECONDS and not {"heavy", "guard"} & _marks[function]
    ]
    marked = [
        (seconds, function)
        for function, seconds in _slowest().items()
        if seconds < QUICK_SECONDS and "heavy" in _marks[function]
    ]
    for title, found in (
        (f"over {SLOW_SECONDS} s, not marked heavy", unmarked),
        (f"marked heavy, under {QUICK_SECONDS} s", marked),
    ):
        terminalreporter.section(title)
        for seconds, function in sorted(found, reverse=True):
            terminalreporter.write_line(f"{seconds:5.2f}  {function}")


def _slowest() -> dict[str, float]:
    return {function: max(seconds.values()) for function, seconds in _totals.items()}
