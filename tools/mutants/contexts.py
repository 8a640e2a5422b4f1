"""A pytest plugin: coverage records for each line which tests ran it.

Processes that a test starts record theirs for it too: they read coverage's configuration from the
environment.
"""

import json
import os
from base64 import b64decode, b64encode

import coverage
import pytest

FOR_PROCESSES = "COVERAGE_PROCESS_CONFIG"


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    _switch(item.nodeid)


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown() -> None:
    _switch("")


def _switch(context: str) -> None:
    measuring = coverage.Coverage.current()
    if measuring is None:
        return
    measuring.switch_context(context)
    if FOR_PROCESSES in os.environ:
        config = json.loads(b64decode(os.environ[FOR_PROCESSES]))
        config["context"] = context or None
        os.environ[FOR_PROCESSES] = b64encode(json.dumps(config).encode()).decode()
