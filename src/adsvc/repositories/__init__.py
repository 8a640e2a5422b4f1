"""All SQL. One class a table; each takes a session, returns rows and decides nothing."""

from adsvc.repositories.ads import AdPage, AdRepository
from adsvc.repositories.bulk import BulkRepository
from adsvc.repositories.comments import CommentPage, CommentRepository
from adsvc.repositories.rate_limits import RateLimitRepository
from adsvc.repositories.schema import SchemaRepository
from adsvc.repositories.sessions import SessionRepository
from adsvc.repositories.users import UserRepository

__all__ = [
    "AdPage",
    "AdRepository",
    "BulkRepository",
    "CommentPage",
    "CommentRepository",
    "RateLimitRepository",
    "SchemaRepository",
    "SessionRepository",
    "UserRepository",
]
