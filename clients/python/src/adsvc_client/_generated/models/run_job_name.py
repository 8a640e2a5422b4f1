from typing import Literal

RunJobName = (
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


def check_run_job_name(value: str) -> RunJobName:
    """As it came: a service that is newer than this client may know more values."""
    return value
