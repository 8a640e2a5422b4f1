from typing import Literal, cast

ProblemFromType0 = Literal["active", "draft", "expired", "reserved", "sold", "withdrawn"]


def check_problem_from_type_0(value: str) -> ProblemFromType0:
    """As it came: a service that is newer than this client may know more values."""
    return cast(ProblemFromType0, value)
