"""The table of an ad's members: the records that have each of them, and its SQL.

PostgreSQL writes the JSON, which costs less than passing the values to Python.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Flag, auto

from adsvc.enums import AdStatus, LocationKind
from adsvc.kit.db.statements import Row
from adsvc.kit.pictures.containers import SHARE, SUFFIXES, VARIANTS
from adsvc.kit.records import DIGEST_BYTES, Written
from adsvc.models.ads import CURRENT_STATUS, SHOWN_SQL
from adsvc.repositories.accounts.callers import is_author_or_admin_sql
from adsvc.schemas.base import IMAGE_PATH

# Every change must have a later `updated_at` than the one before, so that versions differ. The
# interface has milliseconds, and clocks are set back. A statement that waited for another sees the
# new row, but rows of other tables, such as pictures, as they were before.
BUMP_UPDATED_AT = "updated_at = greatest(now(), {row}.updated_at + interval '1 millisecond')"


def version_sql(json: str) -> str:
    """The version of a representation that the database has written."""
    digest = f"substring(sha256(convert_to({json}::text, 'UTF8')) FOR {DIGEST_BYTES})"
    return f"encode({digest}, 'hex')"


def written_of(row: Row) -> Written | None:
    """From the columns `record` and `version`; None if nothing was written."""
    record = row["record"]
    return None if record is None else Written(record, row["version"])


def visible(ads: str = "ads") -> str:
    """Whether the row of that name is shown now.

    The clock is the database's. A job marks ads as expired; only counts and caches depend on when.
    """
    return (
        f"({ads}.status IN ({SHOWN_SQL})"
        f" AND ({ads}.expires_at IS NULL OR {ads}.expires_at > now()))"
    )


def current_status(ads: str = "ads") -> str:
    return CURRENT_STATUS.format(f"{ads}.status", f"{ads}.expires_at")


def is_seen(ad: str) -> str:
    """Whether the row `caller` sees the ad of that name, by the rule of `services.ads.listing`."""
    return f"({visible(ad)} OR {is_author_or_admin_sql(ad)})"


def hidden(ad: str) -> str:
    """For `AccessCheck`: the status of the ad of that name, if the row `caller` cannot see it.

    Null also if there is no such ad.
    """
    return f"CASE WHEN NOT {is_seen(ad)} THEN {current_status(ad)} END AS hidden"


def _side(column: str, limit: int) -> str:
    """As `pictures.picture.size_within`."""
    return (
        f"CASE WHEN longest > {limit} THEN"
        f" greatest(1, ({column} * {limit} + longest / 2) / longest) ELSE {column} END"
    )


def _variant(key: str, limit: int) -> str:
    return (
        f"'{key}', json_build_object("
        f"'path', '{IMAGE_PATH}' || split_part(name, '.', 1) || '{SUFFIXES[key]}',"
        f" 'width', {_side('width', limit)}, 'height', {_side('height', limit)})"
    )


_VARIANTS = [_variant(key, limit) for key, limit in VARIANTS.items()]
_OLDER = [_variant(key, limit) for key, limit in VARIANTS.items() if key != SHARE]


def images_sql(ad_id: str) -> str:
    """A JSON list of an ad's pictures in their order, each as `Image`."""
    return f"""(
        SELECT coalesce(json_agg(json_build_object(
            'id', id, 'image', '{IMAGE_PATH}' || name, 'width', width, 'height', height,
            'variants', CASE WHEN has_share THEN json_build_object({", ".join(_VARIANTS)})
                WHEN has_variants THEN json_build_object({", ".join(_OLDER)})
                ELSE json_build_object() END,
            'placeholder', placeholder
        ) ORDER BY position), '[]')
        FROM (
            SELECT *, greatest(width, height) AS longest FROM ad_images WHERE ad_id = {ad_id}
        ) AS picture
    )"""


VIEWS_OF_DAY = "views + cardinality(visitors)"


def contacts_sql(ad_id: str) -> str:
    """How many accounts have read the phone number of the author of the ad of that id."""
    return f"(SELECT count(*) FROM contacts WHERE contacts.ad_id = {ad_id})"


def favorites_sql(ad_id: str) -> str:
    """How many accounts keep the ad of that id."""
    return (
        f"coalesce((SELECT favorites FROM favorite_totals WHERE favorite_totals.ad_id = {ad_id}),"
        " 0)"
    )


def views_sql(ad_id: str) -> str:
    """How often the ad of that id was seen."""
    return f"(SELECT coalesce(sum({VIEWS_OF_DAY}), 0) FROM ad_views WHERE ad_id = {ad_id})::bigint"


def talks_sql(ad_id: str) -> str:
    """How many have written to the author about the ad of that id."""
    return (
        "(SELECT count(*) FROM conversations"
        f" WHERE conversations.ad_id = {ad_id} AND seller_last IS NOT NULL)"
    )


class RecordKind(Flag):
    """The records of the interface that are made from an ad. A member names those that have it."""

    # `schemas.ads.Ad`, alone and in listings.
    AD = auto()
    # `schemas.ads.ExtendedAd`, with its author's contact, for other accounts.
    EXTENDED = auto()
    # The same where the site hides contacts.
    CONCEALED = auto()
    # The same for its author.
    OWN = auto()
    # The same for the row `caller` of the statement, author or not.
    SEEN = auto()
    # `schemas.ads.AdDetails`, for everyone.
    DETAILS = auto()
    # `schemas.export.ExportedAd`.
    EXPORT = auto()
    # Members that `Ad` has only in listings near a place.
    NEAR = auto()
    # Members that `Ad` has only in its author's own list.
    MINE = auto()
    # Members that `Ad` has only in lists for administrators.
    ADMINISTERED = auto()
    CONTACT = EXTENDED | CONCEALED | OWN | SEEN
    # A single ad, with all its members.
    PAGE = CONTACT | DETAILS
    # For callers other than the author.
    PUBLIC = AD | EXTENDED | CONCEALED | DETAILS
    ALL = AD | PAGE | EXPORT


@dataclass(frozen=True, slots=True)
class Member:
    name: str
    column: str
    records: RecordKind
    # The SQL of the value from the column `{0}`, and others of the row: `{1}` and so on.
    made: str = "{0}"
    others: tuple[str, ...] = ()
    of_author: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.column, *self.others)

    def sql(self, ads: str, users: str) -> str:
        row = users if self.of_author else ads
        value = self.made.format(*(f"{row}.{column}" for column in self.columns))
        return f'{value} AS "{self.name}"'


PATH = f"'{IMAGE_PATH}' || {{0}}"
# A draft may have no picture yet. Its name is empty then, and so is its path.
IMAGE = f"coalesce('{IMAGE_PATH}' || nullif({{0}}, ''), '')"
# A picture without variants is its own thumbnail.
THUMBNAIL = IMAGE.format("coalesce({0}, {1})")
CATEGORY = "(SELECT slug FROM categories WHERE categories.id = {0})"
MILLISECONDS = "(extract(epoch FROM {0}) * 1000)::bigint"
# From a latitude and a longitude.
POINT = "CASE WHEN {0} IS NOT NULL THEN json_build_object('latitude', {0}, 'longitude', {1}) END"
# From the author, the exact point and the public one.
POINT_COLUMNS = ("latitude", "longitude", "public_latitude", "public_longitude")
# The centre of a place is exact enough for its author too.
EXACT = POINT.format("coalesce({0}, {2})", "coalesce({1}, {3})")
POINT_SEEN = (
    f"CASE WHEN caller.id = {{0}} THEN {EXACT.format('{1}', '{2}', '{3}', '{4}')}"
    f" ELSE {POINT.format('{3}', '{4}')} END"
)
LOCATION_KIND = (
    f"CASE WHEN {{0}} IS NOT NULL THEN '{LocationKind.EXACT}'"
    f" WHEN {{1}} IS NOT NULL THEN '{LocationKind.PLACE}' END"
)
# Whether everyone sees the row of `ratings`.
RATING_IS_SHOWN = "shown_at IS NOT NULL AND NOT removed"
# From this number of ratings on, everyone sees their average.
FEWEST_RATINGS = 3
# From an account's id.
RATING = (
    f"(SELECT CASE WHEN count(*) >= {FEWEST_RATINGS} THEN json_build_object("
    "'average', round(avg(stars), 1), 'count', count(*)) END"
    f" FROM ratings WHERE rated_id = {{0}} AND {RATING_IS_SHOWN})"
)
# From an account's id; `{}` is a column of its row.
ANSWERS = "(SELECT {} FROM answer_figures WHERE user_id = {{0}})"
# From an account's id, first name, picture and time of creation.
_AUTHOR = (
    "'id', {0}, 'firstName', {1},"
    f" 'image', {PATH.format('{2}')}, 'since', {MILLISECONDS.format('{3}')},"
    " 'adCount', coalesce("
    "(SELECT ads FROM author_ad_totals WHERE author_ad_totals.author_id = {0}), 0)"
    f", 'rating', {RATING}, 'answerMinutes', {ANSWERS.format('minutes')},"
    f" 'answerRate', {ANSWERS.format('rate')}"
)
AUTHOR = f"json_build_object({_AUTHOR})"
AUTHOR_COLUMNS = ("id", "first_name", "image", "created_at")


def seller_sql(users: str) -> str:
    """The row of that name as `schemas.ads.Seller`."""
    author = _AUTHOR.format(*(f"{users}.{column}" for column in AUTHOR_COLUMNS))
    sold = (
        "SELECT count(*) FROM ads"
        f" WHERE ads.author_id = {users}.id AND ads.status = '{AdStatus.SOLD}'"
    )
    verified = f"{users}.mail_verified"
    return f"json_build_object({author}, 'soldCount', ({sold}), 'verified', {verified})"


MEMBERS = (
    Member("pk", "id", RecordKind.AD | RecordKind.PAGE),
    Member("id", "id", RecordKind.EXPORT),
    Member("author", "author_id", RecordKind.AD | RecordKind.CONTACT),
    Member(
        "author",
        AUTHOR_COLUMNS[0],
        RecordKind.DETAILS,
        AUTHOR,
        AUTHOR_COLUMNS[1:],
        of_author=True,
    ),
    Member("externalId", "external_id", RecordKind.OWN | RecordKind.EXPORT | RecordKind.MINE),
    Member(
        "externalId",
        "external_id",
        RecordKind.SEEN,
        "CASE WHEN caller.id = {1} THEN {0} END",
        ("author_id",),
    ),
    Member("externalId", "id", RecordKind.EXTENDED | RecordKind.CONCEALED, "NULL::text"),
    Member("image", "image", RecordKind.ALL, IMAGE),
    Member("thumbnail", "thumbnail", RecordKind.AD | RecordKind.PAGE, THUMBNAIL, ("image",)),
    Member("imageCount", "image_count", RecordKind.AD | RecordKind.PAGE),
    Member("images", "id", RecordKind.PAGE | RecordKind.EXPORT, images_sql("{0}")),
    Member("price", "price", RecordKind.ALL),
    Member("title", "title", RecordKind.ALL),
    Member("category", "category_id", RecordKind.ALL, CATEGORY),
    Member("attributes", "attributes", RecordKind.ALL),
    Member("description", "description", RecordKind.PAGE | RecordKind.EXPORT),
    Member("priceType", "price_type", RecordKind.ALL),
    Member("place", "place", RecordKind.ALL),
    Member("placeId", "place_id", RecordKind.ALL),
    Member("locationKind", "latitude", RecordKind.ALL, LOCATION_KIND, ("public_latitude",)),
    Member("location", "public_latitude", RecordKind.PUBLIC, POINT, ("public_longitude",)),
    # The exact point. No other record may have it.
    Member("location", "latitude", RecordKind.OWN | RecordKind.EXPORT, EXACT, POINT_COLUMNS[1:]),
    Member("location", "author_id", RecordKind.SEEN, POINT_SEEN, POINT_COLUMNS),
    Member("authorFirstName", "first_name", RecordKind.CONTACT, of_author=True),
    Member("authorLastName", "last_name", RecordKind.CONTACT, of_author=True),
    Member("email", "username", RecordKind.CONTACT ^ RecordKind.CONCEALED, of_author=True),
    Member("phone", "phone", RecordKind.CONTACT ^ RecordKind.CONCEALED, of_author=True),
    Member("email", "username", RecordKind.CONCEALED, "''", of_author=True),
    Member("phone", "phone", RecordKind.CONCEALED, "''", of_author=True),
    Member("status", "status", RecordKind.ALL, CURRENT_STATUS, ("expires_at",)),
    Member(
        "expiresAt",
        "expires_at",
        RecordKind.PAGE | RecordKind.EXPORT | RecordKind.MINE,
        MILLISECONDS,
    ),
    Member("soldAt", "sold_at", RecordKind.PAGE | RecordKind.EXPORT, MILLISECONDS),
    Member("createdAt", "created_at", RecordKind.ALL, MILLISECONDS),
    Member("updatedAt", "updated_at", RecordKind.ALL, MILLISECONDS),
    Member("distance", "distance", RecordKind.NEAR),
    # Single ads get these beside their record, as they are no part of their version.
    Member("favoriteCount", "id", RecordKind.MINE, favorites_sql("{0}")),
    Member("phoneCount", "id", RecordKind.MINE, contacts_sql("{0}")),
    Member("viewCount", "id", RecordKind.MINE, views_sql("{0}")),
    Member("conversationCount", "id", RecordKind.MINE, talks_sql("{0}")),
    Member(
        "authorName",
        "author_id",
        RecordKind.ADMINISTERED,
        "(SELECT username FROM users WHERE users.id = {0})",
    ),
)


def members(record: RecordKind) -> list[Member]:
    return [member for member in MEMBERS if record & member.records]


def members_sql(record: RecordKind, *, ads: str = "ads", users: str = "users") -> str:
    """What to select from rows of these names, so that `row_to_json` makes the record."""
    return ", ".join(member.sql(ads, users) for member in members(record))


def answer_sql(ad: str) -> str:
    """What to select to answer the change of the row of that name by the row `caller`: its record
    as `schemas.ads.Ad`, with the external id if it has one and the caller is its author.
    """
    return f"""(
        SELECT CASE WHEN caller.id = {ad}.author_id AND {ad}.external_id IS NOT NULL
            THEN left(json, -1) || ',"externalId":' || to_json({ad}.external_id)::text || '}}'
            ELSE json END
        FROM (
            SELECT row_to_json(ad)::text AS json
            FROM (SELECT {members_sql(RecordKind.AD, ads=ad)}) AS ad
        ) AS answer
    )"""


def ad_columns(record: RecordKind) -> tuple[str, ...]:
    """The columns of the table `ads` that the record needs."""
    found = (member for member in members(record) if not member.of_author)
    return tuple(dict.fromkeys(column for member in found for column in member.columns))


AD_COLUMNS = ad_columns(RecordKind.AD)
COLUMNS = ", ".join(AD_COLUMNS)


def columns_sql(record: RecordKind) -> str:
    """The columns that the records of a listing need."""
    return ", ".join(ad_columns(record))


def record_sql(page: str, key: Sequence[str], record: RecordKind = RecordKind.AD) -> str:
    """The rows of a page as JSON (`schemas.ads.Ad`), with their keys and when they expire.

    `key` is the SQL of each part, from the row `page`.
    """
    return f"""
        SELECT {", ".join(key)}, page.expires_at,
            row_to_json(ad)::text AS record
        FROM ({page}) AS page
        CROSS JOIN LATERAL (SELECT {members_sql(record, ads="page")}) AS ad
    """
