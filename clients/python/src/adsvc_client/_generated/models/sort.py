from typing import Literal, cast

Sort = Literal["-created", "-price", "created", "distance", "price", "relevance"]


def check_sort(value: str) -> Sort:
    """As it came: a service that is newer than this client may know more values."""
    return cast(Sort, value)
