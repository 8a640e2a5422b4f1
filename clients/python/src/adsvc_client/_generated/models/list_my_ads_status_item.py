from typing import Literal, cast

ListMyAdsStatusItem = Literal["active", "draft", "expired", "reserved", "sold", "withdrawn"]


def check_list_my_ads_status_item(value: str) -> ListMyAdsStatusItem:
    """As it came: a service that is newer than this client may know more values."""
    return cast(ListMyAdsStatusItem, value)
