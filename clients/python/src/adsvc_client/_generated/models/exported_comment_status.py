from typing import Literal

ExportedCommentStatus = Literal["removed", "shown"] | str


def check_exported_comment_status(value: str) -> ExportedCommentStatus:
    """As it came: a service that is newer than this client may know more values."""
    return value
