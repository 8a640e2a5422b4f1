from typing import Literal

OverviewFailingJobsItem = (
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


def check_overview_failing_jobs_item(value: str) -> OverviewFailingJobsItem:
    """As it came: a service that is newer than this client may know more values."""
    return value
