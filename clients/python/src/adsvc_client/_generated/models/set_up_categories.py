from typing import Literal, cast

SetUpCategories = Literal["animals", "empty", "general", "jobs", "property", "vehicles"]


def check_set_up_categories(value: str) -> SetUpCategories:
    """As it came: a service that is newer than this client may know more values."""
    return cast(SetUpCategories, value)
