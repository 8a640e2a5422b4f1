"""Which ads everybody may see: the one condition for lists, counts, facets and single ads."""

from adsvc.models import AdStatus

SHOWN = (AdStatus.ACTIVE, AdStatus.RESERVED)

# As the partial indexes have it.
SHOWN_SQL = ", ".join(f"'{status}'" for status in SHOWN)


def visible(ads: str = "ads") -> str:
    """Whether the row of that name is shown now. The clock is the database's.

    A task marks ads as expired, but nothing depends on when it does.
    """
    return (
        f"({ads}.status IN ({SHOWN_SQL})"
        f" AND ({ads}.expires_at IS NULL OR {ads}.expires_at > now()))"
    )


def current_status(ads: str = "ads") -> str:
    """What the interface tells as `status`: expired from the moment on, marked or not."""
    return (
        f"CASE WHEN {ads}.status IN ({SHOWN_SQL}) AND {ads}.expires_at <= now()"
        f" THEN '{AdStatus.EXPIRED}' ELSE {ads}.status END"
    )
