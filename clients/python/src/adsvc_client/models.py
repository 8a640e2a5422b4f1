"""The records of the interface, and the values that their members may have."""

from ._generated import models
from ._generated.models import *  # noqa: F403

__all__: list[str] = []
__all__ += models.__all__
