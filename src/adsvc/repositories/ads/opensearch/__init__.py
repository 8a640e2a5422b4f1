"""Searches by OpenSearch, which is imported only with `ADSVC_SEARCH_URL`."""
