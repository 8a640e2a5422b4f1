from typing import Literal, cast

OverviewFailingJobsItem = Literal[
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


def check_overview_failing_jobs_item(value: str) -> OverviewFailingJobsItem:
    """As it came: a service that is newer than this client may know more values."""
    return cast(OverviewFailingJobsItem, value)
