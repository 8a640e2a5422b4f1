"""A pytest plugin: coverage records for each line which tests ran it."""

import coverage
import pytest


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    measuring = coverage.Coverage.current()
    if measuring is not None:
        measuring.switch_context(item.nodeid)


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown() -> None:
    measuring = coverage.Coverage.current()
    if measuring is not None:
        measuring.switch_context("")
