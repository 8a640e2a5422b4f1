"""The version of an ad: that of what `GET /ads/{id}` tells the caller of it."""

from adsvc.repositories.accounts.rights import CALLER
from adsvc.repositories.ads.projection import AD_COLUMNS, In, ad_columns, members_sql
from adsvc.repositories.versions import version_sql

# The columns that a changed row, named `found`, has to give to be told with its version.
CHANGED_COLUMNS = ", ".join(
    f"found.{column}" for column in dict.fromkeys((*AD_COLUMNS, *ad_columns(In.SEEN)))
)


def ad_version_sql(ads: str) -> str:
    """The version of the row of that name, beside a row `caller`."""
    return f"""(
        SELECT {version_sql("row_to_json(ad)")} FROM (
            SELECT {members_sql(In.SEEN, ads=ads, users="author")}
            FROM users AS author WHERE author.id = {ads}.author_id
        ) AS ad
    )"""


def as_expected(ads: str, parameter: int) -> str:
    """To be appended to a condition: whether the row has one of the versions expected."""
    return f"AND {ad_version_sql(ads)} = ANY(${parameter}::text[])"


# Parameters: the caller's account and session, the ad.
CURRENT = f"""
    SELECT {ad_version_sql("found")} AS version
    FROM ads AS found CROSS JOIN ({CALLER}) AS caller WHERE found.id = $3
"""
