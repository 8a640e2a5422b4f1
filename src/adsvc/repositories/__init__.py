"""All SQL. One class a table; each takes a session, returns rows and decides nothing."""

from adsvc.repositories.ad_filter import AdFilter, Sort
from adsvc.repositories.ads import AdRepository
from adsvc.repositories.bulk import BulkRepository
from adsvc.repositories.callers import CallerRepository
from adsvc.repositories.comments import CommentPage, CommentRepository, Missing
from adsvc.repositories.deletions import PictureDeletionRepository
from adsvc.repositories.listing import ListingRepository
from adsvc.repositories.rate_limits import RateLimitRepository
from adsvc.repositories.schema import SchemaRepository
from adsvc.repositories.sessions import SessionRepository
from adsvc.repositories.users import UserRepository

__all__ = [
    "AdFilter",
    "AdRepository",
    "BulkRepository",
    "CallerRepository",
    "CommentPage",
    "CommentRepository",
    "ListingRepository",
    "Missing",
    "PictureDeletionRepository",
    "RateLimitRepository",
    "SchemaRepository",
    "SessionRepository",
    "Sort",
    "UserRepository",
]
