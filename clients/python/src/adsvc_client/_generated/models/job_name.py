from typing import Literal, cast

JobName = Literal[
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


def check_job_name(value: str) -> JobName:
    """As it came: a service that is newer than this client may know more values."""
    return cast(JobName, value)
