from typing import Literal

JobName = (
    Literal[
        "answer-figures",
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
    | str
)


def check_job_name(value: str) -> JobName:
    """As it came: a service that is newer than this client may know more values."""
    return value
