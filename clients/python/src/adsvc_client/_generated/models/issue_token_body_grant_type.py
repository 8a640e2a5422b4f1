from typing import Literal, cast

IssueTokenBodyGrantType = Literal["password", "refresh_token"]


def check_issue_token_body_grant_type(value: str) -> IssueTokenBodyGrantType:
    """As it came: a service that is newer than this client may know more values."""
    return cast(IssueTokenBodyGrantType, value)
