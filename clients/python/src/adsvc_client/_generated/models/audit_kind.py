from typing import Literal, cast

AuditKind = Literal[
    "account_deleted",
    "basic_login",
    "category_changed",
    "category_deleted",
    "decided",
    "decision_undone",
    "factors_reset",
    "foreign_ad_changed",
    "foreign_ad_deleted",
    "foreign_comment_changed",
    "foreign_comment_deleted",
    "foreign_picture_replaced",
    "foreign_pictures_changed",
    "job_requested",
    "key_created",
    "key_deleted",
    "login_failed",
    "login_reported",
    "mail_changed",
    "mail_verified",
    "messages_read",
    "outbox_deleted",
    "outbox_retried",
    "passkey_added",
    "passkey_removed",
    "password_changed",
    "rate_limited",
    "recovery_code_used",
    "role_changed",
    "session_began",
    "session_ended",
    "token_reused",
    "totp_removed",
    "totp_set",
    "webhook_changed",
    "webhook_created",
    "webhook_deleted",
    "webhook_secret_rotated",
]


def check_audit_kind(value: str) -> AuditKind:
    """As it came: a service that is newer than this client may know more values."""
    return cast(AuditKind, value)
