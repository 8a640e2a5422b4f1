from adsvc.cli.terminal import say_document
from adsvc.settings import documentation


def settings() -> None:
    """Print docs/settings.md."""
    say_document(documentation.page())
