"""What an installation may do without."""


def how_to_install(extra: str) -> str:
    """No index of packages has adsvc: it is installed from its source."""
    return f"Install the extra {extra}, in the directory of the source: pip install '.[{extra}]'"
