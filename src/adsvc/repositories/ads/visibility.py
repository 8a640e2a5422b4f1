"""Which ads everybody may see: the one condition for lists, counts, facets and single ads."""

from adsvc.models import AdStatus
from adsvc.repositories.accounts.rights import is_author_or_admin

SHOWN = (AdStatus.ACTIVE, AdStatus.RESERVED)

# As the partial indexes have it.
SHOWN_SQL = ", ".join(f"'{status}'" for status in SHOWN)

# Of the columns `status` and `expires_at`: what the interface tells as `status`. An ad is expired
# from that moment on, whether or not it has been marked.
CURRENT_STATUS = (
    f"CASE WHEN {{0}} IN ({SHOWN_SQL}) AND {{1}} <= now() THEN '{AdStatus.EXPIRED}' ELSE {{0}} END"
)


def visible(ads: str = "ads") -> str:
    """Whether the row of that name is shown now.

    The clock is the database's. A job marks ads as expired; only counts, and what processes keep,
    depend on when it does.
    """
    return (
        f"({ads}.status IN ({SHOWN_SQL})"
        f" AND ({ads}.expires_at IS NULL OR {ads}.expires_at > now()))"
    )


def current_status(ads: str = "ads") -> str:
    return CURRENT_STATUS.format(f"{ads}.status", f"{ads}.expires_at")


def is_seen(ad: str) -> str:
    """Whether the row `caller` sees the ad of that name, as `services.ads.viewing` has it."""
    return f"({visible(ad)} OR {is_author_or_admin(ad)})"


def hidden(ad: str) -> str:
    """What `standing_of` needs of an ad of that name: its status if the row `caller` cannot see it.

    Null also if there is no such ad.
    """
    return f"CASE WHEN NOT {is_seen(ad)} THEN {current_status(ad)} END AS hidden"
