"""Pages that are made of the code."""

from adsvc.observability.metrics import definitions as metrics_documentation
from adsvc.settings import documentation
from adsvc_ops.cli.terminal import say_document


def settings() -> None:
    """Print docs/settings.md."""
    say_document(documentation.page())


def metrics() -> None:
    """Print docs/metrics.md."""
    say_document(metrics_documentation.page())
