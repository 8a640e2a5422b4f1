from typing import Literal, cast

RunJobName = Literal[
    "category-words",
    "cleaning",
    "endings",
    "expiries",
    "message-mails",
    "picture-deletions",
    "places",
    "search-keys",
    "search-phrases",
    "suspensions",
]


def check_run_job_name(value: str) -> RunJobName:
    """As it came: a service that is newer than this client may know more values."""
    return cast(RunJobName, value)
