from typing import Literal, cast

ExportedCommentStatus = Literal["removed", "shown"]


def check_exported_comment_status(value: str) -> ExportedCommentStatus:
    """As it came: a service that is newer than this client may know more values."""
    return cast(ExportedCommentStatus, value)
